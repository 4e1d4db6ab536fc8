'use strict';

const { randomBytes, timingSafeEqual } = require('node:crypto');
const { open, rename } = require('node:fs/promises');

const ID_BYTES = 24;
const MAX_PAYLOAD_CHARS = 4096;

/** How long a session lasts, in seconds, by the role of its user. */
const LIFETIMES = {
  guest: 15 * 60,
  member: 8 * 60 * 60,
  editor: 4 * 60 * 60,
  admin: 30 * 60,
};

/**
 * Returns how long a session of a role lasts, in milliseconds.
 * Roles that are not listed get the guest lifetime.
 */
function lifetimeOf(role) {
  const seconds = Object.hasOwn(LIFETIMES, role) ? LIFETIMES[role] : LIFETIMES.guest;
  return seconds * 1000;
}

/** Compares two session identifiers without leaking where they differ. */
function sameId(left, right) {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Keeps sessions in a database and drops them once they have expired. */
class SessionStore {
  /** @param pool a pool whose connections offer `query(sql, params)` and `release()` */
  constructor(pool, clock = Date.now) {
    this.pool = pool;
    this.clock = clock;
  }

  /** Creates a session and resolves to its identifier. */
  async create(userId, role, data = {}) {
    const payload = JSON.stringify(data);
    if (payload.length > MAX_PAYLOAD_CHARS) {
      throw new RangeError(`session data too large: ${payload.length}`);
    }
    const id = randomBytes(ID_BYTES).toString('hex');
    const expires = this.clock() + lifetimeOf(role);
    await this.#run(
      'INSERT INTO sessions (id, user_id, role, payload, expires) VALUES ($1, $2, $3, $4, $5)',
      [id, userId, role, payload, expires],
    );
    return id;
  }

  /** Resolves to the live session with this identifier, or to null. */
  async find(id) {
    if (typeof id !== 'string' || id.length !== ID_BYTES * 2) {
      return null;
    }
    const rows = await this.#run(
      'SELECT id, user_id, role, payload, expires FROM sessions WHERE id = $1',
      [id],
    );
    const row = rows[0];
    if (!row || !sameId(row.id, id)) {
      return null;
    }
    if (row.expires <= this.clock()) {
      await this.#run('DELETE FROM sessions WHERE id = $1', [id]);
      return null;
    }
    return { userId: row.user_id, role: row.role, data: JSON.parse(row.payload) };
  }

  /** Writes the users whose sessions last longest to a file, and resolves to their number. */
  async exportLatest(path, limit) {
    const rows = await this.#run('SELECT user_id, expires FROM sessions WHERE expires > $1', [
      this.clock(),
    ]);
    // Sorted in a copy: the pool may hand the same rows to another caller.
    const latest = [...rows].sort((a, b) => b.expires - a.expires).slice(0, Math.max(0, limit));
    const file = await open(`${path}.part`, 'w');
    try {
      for (let i = 0; i < latest.length; i += 1) {
        await file.write(`${i + 1}\t${latest[i].user_id}\n`);
      }
    } finally {
      await file.close();
    }
    await rename(`${path}.part`, path);
    return latest.length;
  }

  async #run(sql, params) {
    const connection = await this.pool.connect();
    try {
      const result = await connection.query(sql, params);
      return result.rows;
    } catch (error) {
      throw new Error('the session database did not answer', { cause: error });
    } finally {
      connection.release();
    }
  }
}

module.exports = { SessionStore, lifetimeOf, sameId };
