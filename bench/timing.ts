import { type ApiAnswer, createApiClient } from "../tests/support/api-client.ts";
import { startMailServer } from "../tests/support/start-mail-server.ts";
import { startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";
import { type BenchRow, percentile } from "./figures.ts";

const TRIES = 200;
/** Permitted difference of medians (security lines 5 and 31). */
const LIMIT_PERCENT = 10;
const API = "/api/signature";

type Pair = {
  readonly what: string;
  readonly path: string;
  known(round: number): object;
  unknown(round: number): object;
};

function wordsOf(answer: ApiAnswer): string {
  const { request_id: _own, ...words } = answer.json ?? {};
  return `${answer.status} ${JSON.stringify(words)}`;
}

const registration = (round: number, email: string, username: string) => ({
  username: `${username}${round}`,
  email,
  password: story.PASSWORD,
  first_name: "Odile",
  last_name: "Étalon",
  birth_date: "1984-02-29",
});

const PAIRS: readonly Pair[] = [
  {
    what: "login, wrong password against unknown name",
    path: "/api/token/",
    known: () => ({ username: "connue", password: "pas-le-bon-1852", remember_me: false }),
    unknown: (round) => ({
      username: `inconnue${round}`,
      password: "pas-le-bon-1852",
      remember_me: false,
    }),
  },
  {
    what: "register, e-mail taken against new",
    path: `${API}/register/`,
    known: (round) => registration(round, "connue@exemple.fr", "prise"),
    unknown: (round) => registration(round, `nouvelle${round}@exemple.fr`, "libre"),
  },
  {
    what: "password reset, known against unknown",
    path: `${API}/password-reset/`,
    known: () => ({ email: "connue@exemple.fr" }),
    unknown: (round) => ({ email: `absente${round}@exemple.fr` }),
  },
  {
    what: "resend, pending account against unknown",
    path: `${API}/register/resend/`,
    known: () => ({ email: "nouvelle0@exemple.fr" }),
    unknown: (round) => ({ email: `absente${round}@exemple.fr` }),
  },
];

/** By turns, each first equally often, so that other load affects both alike. */
async function comparePair(url: string, pair: Pair): Promise<BenchRow[]> {
  const client = createApiClient(url);
  await client.get("/api/verify-token/");
  const times = { known: [] as number[], unknown: [] as number[] };
  const words = new Set<string>();
  for (let round = 0; round < TRIES; round += 1)
    for (const kind of round % 2 === 0
      ? (["known", "unknown"] as const)
      : (["unknown", "known"] as const)) {
      const started = performance.now();
      const answer = await client.post(pair.path, { json: pair[kind](round) });
      times[kind].push(performance.now() - started);
      words.add(wordsOf(answer));
    }
  client.close();
  if (words.size !== 1)
    throw new Error(`${pair.what}: the answers tell them apart: ${[...words].join(" | ")}`);
  const [known, unknown] = [percentile(times.known, 0.5), percentile(times.unknown, 0.5)];
  return [
    {
      part: "timing",
      what: `${pair.what}, medians apart`,
      value: Math.abs(known / unknown - 1) * 100,
      unit: "%",
      goal: { atMost: LIMIT_PERCENT },
    },
    { part: "timing", what: `${pair.what}, p50`, value: known, unit: "ms", goal: null },
  ];
}

/** Whether time, status or words reveal an account; medians of 200 calls. */
export async function benchTiming(): Promise<BenchRow[]> {
  const mails = await startMailServer();
  const server = await startServer({ env: { SMTP_URL: mails.url, RATE_LIMITS: "off" } });
  const rows: BenchRow[] = [];
  try {
    const world = { url: server.url, mails };
    await story.registerPerson(world, {
      username: "connue",
      email: "connue@exemple.fr",
      firstName: "Odile",
      lastName: "Étalon",
    });
    for (const pair of PAIRS) rows.push(...(await comparePair(server.url, pair)));
    return rows;
  } finally {
    await server.close();
    await mails.close();
  }
}
