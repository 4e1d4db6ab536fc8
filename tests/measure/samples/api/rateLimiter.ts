/** The plans a client of the API can be on. */
export type Plan = "free" | "team" | "enterprise";

/** What a caller learns about one request. */
export interface Decision {
  allowed: boolean;
  remaining: number;
  retryAfterMs: number;
}

interface Bucket {
  tokens: number;
  updatedAt: number;
}

/** Where buckets are kept; `lock` resolves to a function that unlocks. */
export interface BucketStore {
  lock(key: string): Promise<() => Promise<void>>;
  read(key: string): Promise<Bucket | null>;
  write(key: string, bucket: Bucket): Promise<void>;
}

const REQUESTS_PER_MINUTE: Record<Plan, number> = {
  free: 60,
  team: 600,
  enterprise: 6000,
};

const MAX_KEY_LENGTH = 200;
const MAX_COST = 50;
const EPSILON = 1e-9;

/** Limits `value` to the range from `low` to `high`, both included. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** Returns how many tokens one request to a route costs. */
export function costOf(method: string): number {
  switch (method.toUpperCase()) {
    case "GET":
    case "HEAD":
      return 1;
    case "PUT":
    case "POST":
      return 5;
    case "DELETE":
      return 10;
    default:
      return 2;
  }
}

/** Returns the bucket as it stands at `now`, leaving the given one alone. */
function refill(bucket: Bucket, plan: Plan, now: number): Bucket {
  const capacity = REQUESTS_PER_MINUTE[plan];
  const elapsed = Math.max(0, now - bucket.updatedAt);
  const gained = (elapsed / 60_000) * capacity;
  const tokens = clamp(bucket.tokens + gained, 0, capacity);
  return { ...bucket, tokens, updatedAt: Math.max(now, bucket.updatedAt) };
}

/** A token bucket per client and plan. */
export class RateLimiter {
  constructor(
    private readonly store: BucketStore,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Takes `cost` tokens from the client's bucket if it holds that many. */
  async take(client: string, plan: Plan, cost = 1): Promise<Decision> {
    if (client === "" || client.length > MAX_KEY_LENGTH) {
      throw new RangeError("the client key is empty or too long");
    }
    if (!(cost > 0) || cost > MAX_COST) {
      throw new RangeError(`cost out of range: ${cost}`);
    }
    const capacity = REQUESTS_PER_MINUTE[plan];
    const key = `${plan}:${client}`;
    const unlock = await this.store.lock(key);
    try {
      const now = this.clock();
      const stored = await this.store.read(key);
      const bucket = refill(stored ?? { tokens: capacity, updatedAt: now }, plan, now);
      const allowed = bucket.tokens + EPSILON >= cost;
      if (allowed) {
        bucket.tokens = Math.max(0, bucket.tokens - cost);
      }
      await this.store.write(key, bucket);
      const missing = allowed ? 0 : cost - bucket.tokens;
      return {
        allowed,
        remaining: Math.floor(bucket.tokens),
        retryAfterMs: Math.ceil((missing / capacity) * 60_000),
      };
    } finally {
      await unlock();
    }
  }
}
