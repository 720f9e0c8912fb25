/** Descriptions of members, N to Z: `name | text`. */
export const WORDS_N_TO_Z = `
name | Name, for people.
namespace | The namespace of the function; absent for a function in none.
native_finish_reason | Why the answer ended, in the provider's own word.
network | The network of the payment.
next | Address of the next page; null on the last one.
next_attempt_at | When the next attempt begins.
note | In words.
object | Type of the object.
observed_at | When it was measured.
only | Providers that may be used; no others.
opened_by | How the session was opened.
options | Parameters for single providers, by their slug.
order | The order in which providers are tried.
organization_id | Never set by this service.
origin | Address of the application, or that an approval issued the key to.
outcome | How it ended.
output | What came out: the items of a response, or the result of a tool call.
output_config | Effort and format of the answer.
output_file_id | Id of the file with the results.
output_format | Format of the picture.
output_modalities | What the model writes.
output_tokens | Tokens of the answer.
output_tokens_details | What the tokens of the answer consist of.
overshoot_cost | What was charged beyond the hold, USD.
owned_by | The author of the model.
p50 | Half of the samples are at most this.
p75 | Three quarters of the samples are at most this.
p90 | Nine of ten samples are at most this.
p99 | 99 of 100 samples are at most this.
papers | Papers named by the repository.
param | Null: the message names the member.
parameters | JSON Schema of the arguments, or parameters by name.
partial_images | Accepted without effect: pictures arrive whole.
partial_json | The next part of the arguments, JSON as text.
partition | Sorts within each model, or over all models.
passthrough_parameters | Parameters that are sent to the provider as they are.
pay_to | Address that receives the payment.
payer | Address that paid.
per_request_limits | Never set by this service.
perf_last_30m_by_workload | Figures of the last 30 minutes, by kind of request.
phase | What is being done.
plugins | Compression of a prompt that is too long, by its plugin id.
previous | Hash of the entry before.
previous_response_id | Over a WebSocket the last response of the same socket. Otherwise send the whole input instead.
price_conditions | The time and the prompt length under which prices were chosen.
pricing | Prices, USD per unit.
pricing_skus | Prices of renders by what decides them.
privacy_policy_url | Address of the privacy policy.
probe_version | Version of the check.
problem | Why the last reading declared nothing; null where it did.
prompt | The prompt, or USD per prompt token.
prompt_cache_key | Names a conversation: its requests prefer one endpoint.
prompt_tokens | Tokens of the prompt.
prompt_tokens_details | What the tokens of the prompt consist of.
provider | Which providers may serve and in what order; in an answer the one that did.
provider_id | Id of the provider.
provider_name | Name of the provider.
provider_responses | The calls of providers, in order.
provider_slug | Slug of the provider.
provider_tag | Slug of the provider, with its quantization where declared.
providers | The providers, or their number.
purpose | What the file is for.
quantization | Declared quantization of the weights.
quantizations | Quantizations that may serve.
rail | The way of the payment.
rails | The ways to pay.
rate_limit | Requests per interval.
reason | Why, in words.
reasoning | Reasoning: how much is asked for, or its text.
reasoning_details | Reasoning in structured entries; send them back unchanged.
reasoning_effort | How much the model reasons.
reasoning_tokens | Tokens of reasoning.
reference_inputs | Reference inputs that the endpoint accepts.
refusal | The words with which the model declined.
refused_prompt_tokens | The prompt tokens that the provider reported, where they were implausible and our own count is charged; null otherwise.
refuted_input_modalities | Declared inputs that a check has refuted.
refuted_reasoning_efforts | Declared efforts that a check has refuted.
region | Region of the datacenter.
removed_count | How many were removed.
render_parameters | Parameters of renders, with their values.
render_timing | How long renders take.
render_timing_samples | Number of samples behind it.
render_timing_sizes | Sizes behind it.
request | USD per request.
request_counts | Requests of the batch by outcome.
request_id | Id of the generation.
requests | The requests, or their number.
requests_per_minute | Rate limit of the key; null for the usual one.
require_parameters | true: only endpoints that declare every parameter of the request.
requires_role | The role without which the reference is refused.
reset_interval | How often the budget begins anew.
resolution | Resolution, such as 720p.
resolutions | Supported resolutions.
response | The response so far.
response_format | Format that the answer must have.
response_last_1d | Share of answered requests over a day.
response_last_30m | Share of answered requests over 30 minutes.
result | Result of the change.
results | The results, in the order of the requests.
results_file_id | Id of the file with the results.
retention_days | Days for which the provider keeps prompts.
revision | Revision of the declared facts.
role | Who speaks, or the role of a reference or a member.
roles | Roles that a reference may have.
route | fallback or sort: how several models are tried.
run | The reading that was asked for, or the one that runs.
runaway_rate_1d | Share of answers that ran on without end over a day.
runaway_rate_1d_samples | Number of samples behind it.
running | The reading that runs; null for none.
sample_count | Number of samples.
schema | JSON Schema.
score | The score.
seconds_per_megapixel | Seconds that a render takes for each megapixel.
secret | The signing secret.
seed | Makes sampling repeatable where the model allows it.
sequence | Number of the entry, without gaps.
sequence_number | Number of the event in its stream.
session_id | Names a conversation: its requests prefer one endpoint.
settled_at | When the charge was recorded; null without one.
signature | Signature of the reasoning; send it back unchanged.
size | Width and height in pixels, or the size of a picture.
size_bytes | Size in bytes.
sizes | Supported sizes.
slug | Name in addresses.
sort | What endpoints are sorted by.
sound | Whether the chain of the checked entries is unbroken.
source | Where the bytes are: base64 data, or a file.
sources | How an input may be sent.
speech_envelope | Declared limits of generated speech.
speed | Speed of the speech.
started_at | When it began.
status | State it is in.
status_page_url | Address of the status page.
stop_reason | Why the answer ended.
stop_sequence | The text at which it ended; null for none.
stop_sequences | Texts at which the answer ends.
store | false asks for endpoints without retention.
stream | true: the answer is sent as server-sent events.
stream_options | What a stream contains beside the answer.
streamed | Whether the answer was streamed.
strength | How strongly the adapter works.
strict | Whether arguments must fit the schema exactly.
succeeded | Calls that were answered.
summary | A summary of the reasoning.
supported_aspect_ratios | Ratios of width to height that a render accepts.
supported_dimensions | Widths of vectors.
supported_durations | Lengths in seconds that a render accepts.
supported_efforts | Efforts of reasoning that a request may name.
supported_frame_images | Frames that a render accepts as pictures.
supported_languages | Languages of speech.
supported_parameters | Parameters that requests may set.
supported_reference_roles | Roles that a reference may have.
supported_resolutions | Resolutions that a render accepts.
supported_sizes | Sizes in pixels that a render accepts.
supported_values | Declared values by parameter.
supported_voices | Voices of speech.
supports_implicit_caching | Whether prompt prefixes are cached without being marked.
supports_max_tokens | Whether the reasoning can be bounded in tokens.
supports_streaming | Whether pictures can be sent as events.
supports_tool_choice | Tool choices that the endpoint honours.
supports_voice_cloning | Whether a voice can be taken from a recording.
system | What the model is told before the conversation.
system_fingerprint | Build of the provider's model; null where none is named.
tag | Names the endpoint of a provider in preferences.
tags | Tags of the model.
tariff_id | Id of the prices.
terms_of_service_url | Address of the terms of service.
text | Text.
thinking | Reasoning: how much is asked for, or its text.
thinking_tokens | Tokens of reasoning.
thread | Conversations are not stored: send all messages instead.
throughput_last_1d | Tokens per second over a day, at percentiles.
throughput_last_1d_samples | Number of samples behind it.
throughput_last_30m | Tokens per second over 30 minutes, at percentiles.
throughput_last_30m_samples | Number of samples behind it.
timings | Milliseconds from the request to its stages.
title | Title of the document or the application.
to | Last UTC day.
tokenizer | The family of tokenizers.
tokens | Tokens of prompts and answers.
tokens_completion | Tokens of the answer.
tokens_prompt | Tokens of the prompt.
tool_call_id | Id of the tool call that this message answers.
tool_call_success_1d | Share of tool calls that fit their schema over a day.
tool_call_success_1d_samples | Number of samples behind it.
tool_calls | The tools that the model calls.
tool_choice | Which tools the model may or must call.
tool_use_id | Id of the tool call that this block answers.
tools | The tools that the model may call.
top_models | The models with the most tokens.
top_provider | The first endpoint of the model.
total | Sum, or total number.
total_cost | Exact charge, USD.
total_count | How many there are on all pages.
total_credits | Deposits and adjustments, USD.
total_tokens | Tokens of prompt and answer.
total_usage | Sum of all charges, USD.
training | Whether the provider trains on prompts.
transaction | Id of the transaction.
transcript | The spoken words as text.
transforms | Compression of a prompt that is too long.
ttft_last_1d | Time to the first token over a day, at percentiles.
ttft_last_30m | Time to the first token over 30 minutes, at percentiles.
ttl | Lifetime of the cached prefix.
type | What kind of object it is.
unchanged_since | Since when the document has declared the same.
unpriced | Units without a declared price, which were not charged.
unread_members | Members of the body that nothing read.
unreported | Counts that the provider did not report and the service counted.
unsigned_urls | Addresses of the clips; they need the key.
updated_at | When it last changed.
upscale_factor | Declared upscaling control.
upstream_id | The provider's id of the answer.
uptime_last_1d | Share of answered requests over a day.
uptime_last_1d_samples | Number of samples behind it.
uptime_last_30m | Share of answered requests over 30 minutes.
uptime_last_30m_samples | Number of samples behind it.
uptime_last_5m | Share of answered requests over five minutes.
uptime_last_5m_samples | Number of samples behind it.
uptime_last_7d | Share of answered requests over a week.
url | Address, or the data as a data: URL.
usage | Tokens and exact cost of the request; of a key or a day its sum in USD.
usage_daily | Charges of the UTC day, USD.
usage_limit_type | How often the limit begins anew.
usage_monthly | Charges of the UTC month, USD.
usage_weekly | Charges of the week from Monday, USD.
user | Names an end user of the application.
user_id | Id of a member.
user_ids | Ids of members.
utc_days | Weekdays, UTC, on which the price applies.
values | The accepted values.
verbosity | How long answers are.
verdict | What the check found.
verification | What the check of the chain found.
video | A video, or declared abilities of renders.
video_envelope | Declared limits of renders.
video_generation | How the provider renders: as a job, or while the call is open.
video_second | USD per second of rendered video.
video_seconds | Seconds of video that were rendered, as measured.
video_url | A video, as a data: URL.
voice | The voice of the speech.
voices | Supported voices.
warnings | What is probably a mistake, each with its place.
website | Address of the website.
weights_revision | Revision of the weights.
window_days | Days that the figures cover.
workspace_id | Id of the workspace.
x402_version | Version of the payment protocol.
zdr | true: only endpoints vetted for zero data retention.
zdr_status | Whether the claim of zero data retention was approved.
`;
