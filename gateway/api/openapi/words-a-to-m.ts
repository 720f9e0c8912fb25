/** Descriptions of members, A to M: `name | text`. */
export const WORDS_A_TO_M = `
adapters | Adapters of the model that a render may select.
added_count | How many were added or changed.
address | Address of the client.
admitted | Milliseconds until the money was held.
affordable_max_tokens | The ceiling that the money afforded, where it was lowered.
allow_fallbacks | false: only the first endpoint of the order is tried.
allowed_data_regions | Regions in which requests may be served.
allowed_passthrough_parameters | Parameters that are sent to the provider as they are.
amount | The amount, USD.
annotations | Annotations of the text.
api_type | Kind of the request.
app_id | Id of the application.
app_title | Title of the application, from its header.
architecture | What the model reads and writes.
arguments | Arguments of the call, JSON as text.
aspect_ratio | Width to height, such as 16:9.
aspect_ratios | Supported ratios of width to height.
asset | The asset in which the payment is made.
attempt | Number of the attempt that ended the generation.
attempts_last_1d | Calls of the endpoint over a day.
attempts_last_30m | Calls of the endpoint over 30 minutes.
audio | Speech: its voice and format in a request, its bytes in an answer, a sound track of a video, or its price.
audio_second | USD per second of audio.
audio_seconds | Seconds of audio that were generated.
audio_tokens | Tokens of audio.
audio_url | Audio, as a data: URL.
author | The author part of model ids.
availability | How the repository may be read.
available | Balance less what is held, USD.
b64_json | Bytes of the picture in base64.
background | Background of the picture; of a response: background runs are not offered.
balance | Balance of the account afterwards, USD.
benchmarks | Scores measured by this service.
benchmarks_note | What the scores mean.
body | The request body, as its endpoint takes it.
budget_remaining | What is left of the workspace's budget, USD.
by | What the list is sorted by, or who made the change.
by_endpoint | The sums of each endpoint.
by_model | The sums of each model.
byok_usage | Always 0: there are no keys of one's own.
byok_usage_daily | Always 0: there are no keys of one's own.
byok_usage_inference | Always 0: there are no keys of one's own.
byok_usage_monthly | Always 0: there are no keys of one's own.
byok_usage_weekly | Always 0: there are no keys of one's own.
bytes | Size in bytes.
cache_control | Marks the end of a prefix that may be cached.
cache_creation | Tokens written to a cache, by lifetime.
cache_creation_input_tokens | Prompt tokens written to a cache.
cache_discount | Never measured by this service.
cache_read_input_tokens | Prompt tokens read from a cache.
cache_write_tokens | Prompt tokens written to a cache.
cached_tokens | Prompt tokens read from a cache.
call_id | Id of the tool call that this belongs to.
callback_url | HTTPS address that receives the webhook of the end.
cancelled | Whether the client left before the end.
canonical_slug | The id of the model without a variant.
capability | Abilities that were verified by checks.
capability_qualification | The last checks of each declared ability.
capacity | Declared capacity of the endpoint.
changes | How many declarations were changed.
choices | The answers; one.
clip_durations_seconds | Measured length of each clip, seconds.
code | Stable code of the error, or the one-time code of an approval.
code_challenge_method | How the challenge was made from the verifier.
code_verifier | The secret behind the challenge of the approval.
codecs | Supported codecs.
combines_with | Adapters that may be selected together with it.
complete | Whether the month has ended.
completed | How many were completed.
completed_at | When it was completed.
completion | USD per completion token.
completion_tokens | Tokens of the answer.
completion_tokens_details | What the tokens of the answer consist of.
completion_window | The time within which a batch is run.
compliance | Compliance claims.
content | The content, as text or as parts.
content_block | The block that begins.
context_length | Tokens of prompt and answer together.
control_sets | Sets of reference inputs that may be combined.
conversation | Conversations are not stored: send the whole input instead.
count | How many there are.
country_code | Two-letter country code.
created_at | When it was created.
created_by | Who created it.
creativity | Declared creativity control.
creator_user_id | The member to whom the key belongs.
credited_at | When the amount was credited.
currency | Currency of the amount.
current | The value that is in force.
daily | One entry per UTC day.
data | The result, or data that belongs to the part.
data_collection | deny: only endpoints that do not train on prompts.
data_policy | What the provider does with prompts, as declared.
datacenters | Where the requests are served, as declared.
dataset | The data set of the evaluation.
datasets | Data sets named by the repository.
date | UTC day, YYYY-MM-DD.
days | The sums of each UTC day.
declared_input_modalities | What the endpoint declares to read, before checks.
default | The value that the provider uses by itself.
default_effort | Effort of the reasoning without a request for one.
default_enabled | Whether the model reasons without a request.
default_parameters | Sampling values that are sent where a request has none.
deleted | true once it is gone.
delta | What is new since the frame before.
deposit_id | Id of the credited deposit.
description | What it is for, in words.
detail | How closely a picture is looked at.
details | Further facts.
disable_parallel_tool_use | true: at most one tool call in an answer.
disabled | true: requests with the key are answered 401.
downloadable | Whether the bytes may be read back.
downloads | Downloads of the repository.
duration | Length, seconds.
echo | Repeats the prompt before the continuation; accepted without effect.
effort | How much the model reasons.
embedding | The vector of one input.
enabled | Whether it is on.
encoding_format | float: numbers; base64: little-endian 32-bit floats.
encrypted_content | Reasoning that only its provider can read; send it back unchanged.
ended | Whether the month has ended.
ended_at | When it ended.
ended_count | How many sessions were ended.
endpoint | The route of the requests of a batch, below /v1.
endpoint_count | How many endpoints serve the model.
endpoint_id | Id of the endpoint.
endpoints | The endpoints, or their number.
entries | Number of entries.
ephemeral_1h_input_tokens | Prompt tokens written to a cache of one hour.
ephemeral_5m_input_tokens | Prompt tokens written to a cache of five minutes.
error | What went wrong; null or absent where nothing did.
error_code | The cause, where SDKs of the dialect branch on it.
error_type | Stable code for programs to branch on.
errors_by_cause | Failed calls by their cause.
estimated | Whether the service counted tokens because the provider did not.
evaluations | Evaluations that the repository reports.
exclude | true: reasoning is not returned.
expiration_date | Day from which the model is not served any more.
expires_after[anchor] | The instant from which the lifetime counts.
expires_after[seconds] | Lifetime in seconds.
expires_at | When it ends to be valid.
external_id | Never set by this service.
external_user | Never set by this service.
failed | How many failed.
failure | Why no answer was delivered; null where one was.
family | The family of the model.
fault | Whose fault a failure was.
faults | What is wrong in the document, each with its place.
file | A file: its id or its data, or the bytes of a form.
file_data | The bytes as a data: URL.
file_id | Id of a stored file.
file_url | Address of a file; refused, since nothing is fetched.
filename | Name of the file.
final | Whether the figures can still change: true once they cannot.
finalized_at | When the last result was recorded.
finish_reason | Why the answer ended.
finish_time | When it ended.
first_id | Id of the first entry of this page.
fixed_seconds | Seconds that a render takes whatever its size.
format | The format.
formats | Supported formats.
fps | Frames per second.
frame | Declared limits of the frame.
frame_images | First and last frame of the clip.
frame_step | Widths and heights are multiples of this.
frame_type | Which frame of the clip the picture is.
free_model_daily_requests | Always 0: there is no free tier.
from | First UTC day.
function | The function of a tool: its declaration, or a call of it.
generate | false, over a WebSocket alone: keeps the request for the next turn to continue, without an answer.
generate_audio | Whether the clip has a sound track.
generation_id | Id of the generation, as GET /generation takes it.
generation_time | Milliseconds from the request to its end.
grid | Allowed sizes as multiples.
has_more | Whether another page follows.
hash | Public handle of the key.
headquarters | Country of the provider.
health | Measured health of the endpoint.
heimdall | Members of this service beside those of the dialect.
held | Held for requests that run, USD.
hipaa | Declared claim; null where nothing is declared.
hold_cost | Amount of the hold, USD.
holds | Every hold of the generation, in order.
honoured | Whether the serving endpoint declares each requested setting.
http_referer | Address of the application, from its header.
id | Id, or what an entry is named by.
ignore | Providers that are not used.
ignored_providers | Providers that requests of the workspace never use.
image | USD per input picture.
image_config | How pictures are made.
image_envelope | Declared limits of generated pictures.
image_megapixel | USD per generated megapixel.
image_output | USD per generated picture.
image_tokens | Tokens of pictures.
image_url | A picture, as a data: URL.
images | Generated pictures.
include | What is returned beside the usual.
include_byok_in_budgets | Always false: there are no keys of one's own.
include_byok_in_limit | Always false: there are no keys of one's own.
include_tool_dispatch | true: the answer reports how tool calls were checked.
include_usage | Whether the last chunk has the usage; it always has.
included | Whether the plain price includes it.
incomplete_details | Why a response is incomplete.
index | Position, counted from 0.
input | The input of a turn, or the arguments of a tool call.
input_audio | Audio, base64 with its format.
input_file_id | Id of the stored file with the requests.
input_images | Pictures of the prompt.
input_modalities | What the model reads.
input_references | Reference pictures, audio and videos of a render.
input_schema | JSON Schema of the arguments.
input_tokens | Tokens of the prompt.
input_tokens_details | What the tokens of the prompt consist of.
instruct_type | Prompt format; null where none is declared.
instructions | What the model is told before the input.
interval | The interval of the limit.
is_byok | Always false: there are no keys of one's own.
is_default | Whether it is the default workspace of the account.
is_error | Whether the tool failed.
is_free_tier | Always false: there is no free tier.
is_management_key | Whether it is a management key.
is_moderated | Whether the provider filters prompts.
is_provisioning_key | As is_management_key.
job_id | Id of the job that the webhook tells of.
json_schema | The schema that the answer must fit.
key | The text of a key.
key_label | Name of the key that is issued.
kind | What it is one of.
label | First and last characters of the key, for people.
languages | Languages.
last_id | Id of the last entry: the next page begins after it.
late | Whether the charge came after the hold had ended.
latency | Milliseconds to the first part of the answer.
latency_last_30m | Time to the first token over the last 30 minutes, at percentiles.
latency_last_30m_samples | Number of samples behind it.
likes | Likes of the repository.
limit | Spending limit of the key in USD; null for none.
limit_remaining | What is left of the limit, USD.
limit_reset | How often the limit begins anew; null for never.
limit_resets_at | When the limit begins anew.
limit_usd | The budget in USD.
links | Addresses below the API.
logprobs | Log probabilities of the tokens.
low_balance | Balance in USD below which the notice is sent; null for no notice.
mandatory | Whether the model always reasons.
max | Upper bound.
max_completion_tokens | Ceiling of the answer in tokens.
max_edge | Longest edge in pixels.
max_images | Most pictures of one request.
max_items | Most entries.
max_output_tokens | Ceiling of the answer in tokens.
max_pixels | Most pixels.
max_price | Highest prices that the request accepts.
max_prompt_tokens | Longest prompt in tokens.
max_seconds | Longest duration in seconds.
max_tokens | Ceiling of the answer, or of its reasoning, in tokens.
media | Charged quantities other than tokens.
media_type | Media type of the data.
megapixels | Megapixels that were drawn.
mesh_envelope | Declared limits of generated meshes.
message | The message: of a conversation, or of an error for people.
messages | The conversation, oldest message first.
metadata | Key and value pairs that are stored unchanged, or further facts of an error.
metric | The metric of the evaluation.
min | Lower bound.
min_edge | Shortest edge in pixels.
modalities | What the answer may consist of.
model | Id of a model, author/slug.
model_count | How many models it serves.
model_hub | What was read of the model's repository.
model_hub_id | Id of the model's repository; null where none is declared.
model_id | Id of the model.
model_name | Name of the model.
model_permaslug | Id of the model that stays the same.
models | Models that are tried in this order, or those of a list.
month | UTC month, YYYY-MM.
`;
