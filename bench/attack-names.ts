export const CONNECTIONS = 9;
export const STREAMS = 100;

export const ATTACK_NAMES = {
  accents: "28 kB of accents to login, four times a second",
  streams: `${CONNECTIONS * STREAMS} bodies never ended, ${CONNECTIONS} HTTP/2 connections`,
  members: "170,000 unknown keys, four times a second",
  key: "100 requests a second with one Idempotency-Key",
} as const;
export type AttackName = keyof typeof ATTACK_NAMES;
