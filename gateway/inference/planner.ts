import { endpointsOn } from '../../actors/endpoint/endpoint.ts';
import { type Clock, type Cluster, type Json, ownerOf, type Random } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { isPausedOn } from '../../actors/terms/pause.ts';
import type { WorkspaceRouting } from '../../actors/terms/workspace.ts';
import type { ProviderFailure } from '../providers/provider-failure.ts';
import { Affinity } from '../routing/affinity.ts';
import { LimitedEndpoints } from '../routing/limited-endpoints.ts';
import { plan } from '../routing/plan.ts';
import { promptNeeds } from '../routing/prompt-needs.ts';
import { planVideo, type VideoPlan } from '../routing/video/plan-video.ts';
import { videoTurn } from '../routing/video/video-turn.ts';
import type { Workspaces } from '../routing/workspaces.ts';
import type { Caller } from '../terms/caller.ts';
import type { Plan } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import type { VideoRequest } from '../terms/video-request.ts';
import { measurePrompt, type PromptSizes } from '../tokens/measure-prompt.ts';

interface PlannerParts {
  readonly cluster: Pick<Cluster, 'board' | 'now'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly workspaces: Pick<Workspaces, 'routingOf'>;
}

/** Plans where turns and videos run, by what one node knows now: the board, its workspaces, conversations and rate limits. */
export class Planner {
  readonly #parts: PlannerParts;
  readonly #affinity: Affinity;
  readonly #limited: LimitedEndpoints;

  constructor(parts: PlannerParts) {
    this.#parts = parts;
    this.#affinity = new Affinity(parts.cluster.board);
    this.#limited = new LimitedEndpoints(parts.clock);
  }

  /**
   * Measures the prompt and plans. At once where the prompt is short and the settings of the workspace are known. Fails
   * with GatewayError 400, 404 or 503.
   */
  plan(turn: Turn, caller: Caller): Plan | Promise<Plan> {
    const { cluster, clock } = this.#parts;
    const endpoints = endpointsOn(cluster.board);
    const sizes = measurePrompt(turn, promptNeeds(turn, endpoints), clock);
    const routing = this.#routingOf(caller);
    return sizes instanceof Promise || routing instanceof Promise
      ? Promise.all([sizes, routing]).then((known) => this.#planned(turn, caller, endpoints, ...known))
      : this.#planned(turn, caller, endpoints, sizes, routing);
  }

  /** The same for a video. */
  async planVideo(request: VideoRequest, caller: Caller): Promise<VideoPlan> {
    const { cluster, clock, random } = this.#parts;
    const endpoints = endpointsOn(cluster.board);
    const turn = videoTurn(request);
    const sizes = await measurePrompt(turn, promptNeeds(turn, endpoints), clock);
    const at = Math.floor(cluster.now());
    const defaults = await this.#routingOf(caller);
    return planVideo(request, endpoints, { seed: random.fraction(), at, defaults, sizes });
  }

  /** The next turn of the conversation goes to this endpoint if it can. */
  remember(account: string, conversation: string | undefined, endpoint: Endpoint): void {
    this.#affinity.remember(account, conversation, endpoint);
  }

  /** A call failed: an endpoint that refused for its rate is planned last for a while. */
  failed(endpoint: string, failure: ProviderFailure): void {
    this.#limited.failed(endpoint, failure);
  }

  /** True where the endpoint or its provider is paused now; a plan leaves out what was paused when it was made. */
  isPaused(endpoint: string, slug: string): boolean {
    return isPausedOn(this.#parts.cluster.board, endpoint, slug);
  }

  #routingOf({ account, workspace }: Caller): WorkspaceRouting | Promise<WorkspaceRouting> {
    return this.#parts.workspaces.routingOf(ownerOf(account), workspace ?? null);
  }

  #planned(
    turn: Turn,
    { account }: Caller,
    endpoints: ReadonlyMap<string, Json>,
    sizes: PromptSizes,
    routing: WorkspaceRouting,
  ): Plan {
    const { cluster, random } = this.#parts;
    const conversation = this.#affinity.recall(account, turn.conversation);
    const moment = { at: cluster.now(), limited: this.#limited.now };
    return plan(turn, endpoints, random.fraction(), conversation, routing, sizes, moment);
  }
}
