import { PROBLEMS } from "@paraphe/contracts";
import { beforeAll, describe, expect, test } from "vitest";
import { ACCESS, ACTORS, type Row } from "../../testing/access-table.ts";
import { type Answer, openBrowser } from "../../testing/browser.ts";
import { TYPED } from "../../testing/guest.ts";
import {
  type AccessStage,
  type Caller,
  type Names,
  seedAccess,
  UNKNOWN,
} from "../../testing/stages/access-stage.ts";
import { scopeOfRoute } from "../features/accounts/public.ts";
import { useTestApp } from "../../testing/use-test-app.ts";

const service = useTestApp({ settings: { rateLimits: "off" } });
let stage: AccessStage;
let anonymous: Caller;

beforeAll(async () => {
  stage = await seedAccess(service);
  anonymous = { browser: openBrowser(service.app), headers: {} };
});

/** Fastify prints its routes as a tree, four letters a step. */
function routesOf(printed: string): readonly string[] {
  const trail: string[] = [];
  return printed.split("\n").flatMap((line) => {
    const [, before = "", part, methods = ""] =
      /^((?:[│ ] {3})*)[├└]── (\S+)(?: \((.+)\))?$/.exec(line) ?? [];
    if (part === undefined) return [];
    trail.splice(before.length / 4, Infinity, part);
    return methods
      .split(", ")
      .filter((method) => method !== "" && method !== "HEAD")
      .map((method) => `${method} ${trail.join("")}`);
  });
}

/** The bodies are valid, so that the id decides. */
const BODIES: Readonly<Record<string, object>> = {
  "PATCH /api/signature/envelopes/:id": { title: "À moi" },
  "PUT /api/organisation/members/:id/role": { role: "reader", from: "member" },
  "POST /api/organisation/members/:id/removal": { heir_id: UNKNOWN },
  "PUT /api/organisation/members/:id/teams": { teams: [] },
  "PUT /api/organisation/teams/:id": { name: "Marchés", members: [] },
  "PUT /api/organisation/delegations/:id": {
    delegate_id: UNKNOWN,
    starts_on: "2026-12-20",
    ends_on: "2026-12-24",
    scope: "all",
  },
  "POST /api/signature/envelopes/:id/extend": { deadline_at: "2027-01-15T12:00:00Z" },
  "PUT /api/signature/envelopes/:id/deadline": { deadline_at: "2027-01-15T12:00:00Z" },
  "PUT /api/signature/envelopes/:id/reminders": { every_days: 3 },
  "PUT /api/signature/envelopes/:id/public-page": { proof_only: true },
  "PATCH /api/signature/envelopes/:id/recipients/:recipientId": { email: "ailleurs@exemple.fr" },
  "POST /api/signature/envelopes/:id/recipients/:recipientId/embed": { origin: "https://a.fr" },
  "POST /api/signature/envelopes/:id/verify_otp": { otp: "123456" },
  "POST /api/signature/envelopes/:id/sign": TYPED,
  "POST /api/signature/envelopes/:id/sign_authenticated": TYPED,
  "POST /api/signature/envelopes/:id/hsm_sign": TYPED,
  "POST /api/signature/envelopes/:id/decline": { reason: "Non" },
  "PATCH /api/signature/saved-signatures/:id": { name: "À moi" },
  "PATCH /api/signature/templates/:id": { name: "À moi" },
  "POST /api/signature/templates/:id/use": { people: [] },
  "PUT /api/signature/contacts/:id": { full_name: "À moi", email: "moi@exemple.fr" },
};
/** The act is checked once its body is read. */
const AFTER_BODY = new Set<string | undefined>(["allowed", "other_act_asked"]);
/** A wrong body is refused alike for any id, known or not. */
const BODY_FIRST = /organisation\/(?:delegations|teams)\/:id$/;
/** The caller's right is checked before any of these is read. */
const WRONG = [
  { body: { inconnu: 7, title: 7, name: 7, id: [] } },
  { body: { inconnu: 7 }, headers: { "if-match": "rien" } },
  { body: "{", headers: { "content-type": "application/json" } },
] as const;

type Call = {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

const pathOf = (route: string) => route.split(" ")[1] ?? "";
const kindOf = (route: string) =>
  /^\/api\/(?:signature\/)?(.+?)\/:/
    .exec(pathOf(route))?.[1]
    ?.replace("organisation/", "organisation ") ?? "";
const ROUTES = Object.keys(ACCESS);
/** Everybody knows the words of `kind`, and an activation always gives the same redirection. */
const named = () => ROUTES.filter((route) => kindOf(route) in stage.known);
const changing = () => named().filter((route) => /^(?:POST|PUT|PATCH) /.test(route));

async function ask(route: string, by: Caller, names: Names = {}, call: Call = {}): Promise<Answer> {
  const [method = "", path = ""] = route.split(" ");
  const url = `${path.replace(/:(\w+)/g, (_, name: string) => names[name] ?? (name === "kind" ? "oidc" : UNKNOWN))}/`;
  const headers = { ...by.headers, ...call.headers };
  if (path.endsWith("/stream")) return openStream(url, by);
  if (method === "GET") return by.browser.get(url, { headers });
  return by.browser.send(method as "POST", url, { headers, body: call.body });
}

/** The stream answers as long as it is read. */
async function openStream(url: string, { browser, headers }: Caller): Promise<Answer> {
  const cookies = Object.fromEntries(
    [...browser.cookies].map(([name, { value }]) => [name, value]),
  );
  const answer = await service.app.inject({ url, headers, cookies, payloadAsStream: true });
  answer.stream().destroy();
  const { statusCode: status } = answer;
  const body = status === 401 ? { code: "session_expired" } : null;
  return { status, body, headers: answer.headers, text: "", bytes: new Uint8Array() };
}

const REFUSALS = [401, 403, 404];
function answerOf({ status, body }: Answer): string {
  if (status >= 500) return String(status);
  if (!REFUSALS.includes(status)) return "allowed";
  // The local mailbox and the authorities' files answer without a body of ours.
  const code: keyof typeof PROBLEMS = body?.code ?? "not_found";
  return PROBLEMS[code].status === status ? code : `${status} ${code}`;
}

test("every route of the server has a row, and every row a route", () => {
  const routes = routesOf(service.app.printRoutes({ commonPrefix: false }));
  expect(ROUTES.toSorted()).toEqual(routes.toSorted());
});

describe("a route whose address holds an id", () => {
  test("is on the stage", () => {
    const missing = ROUTES.filter((route) => /:(?!kind\b|issuer\b|uid\b)/.test(route))
      .filter((route) => route.includes("/api/"))
      .filter((route) => !named().includes(route) && !route.includes("/activate/"));
    expect(missing, "add what these addresses name to `seedAccess`").toEqual([]);
    expect(named().length).toBeGreaterThan(30);
  });

  test("has the same answer for an unknown id, whoever asks from outside", async () => {
    const outsiders = [stage.callers.get("stranger") ?? anonymous, stage.elsewhere, anonymous];
    for (const route of named())
      for (const names of stage.known[kindOf(route)] ?? []) {
        const unknown = Object.fromEntries(Object.keys(names).map((name) => [name, UNKNOWN]));
        const call = BODIES[route] === undefined ? {} : { body: BODIES[route] };
        for (const by of outsiders) {
          const [one, other] = [
            await ask(route, by, names, call),
            await ask(route, by, unknown, call),
          ];
          expect({ route, answer: comparable(one) }).toEqual({ route, answer: comparable(other) });
          expect([route, REFUSALS.includes(one.status)]).toEqual([route, true]);
        }
      }
  });

  test("refuses a wrong body as it refuses any other", async () => {
    const refused = ["stranger", "recipient", "unconfirmed", "reader", "owner"] as const;
    const routes = changing().filter((route) => !BODY_FIRST.test(route));
    for (const route of routes)
      for (const actor of refused.filter((one) => !AFTER_BODY.has(ACCESS[route]?.[one])))
        for (const call of WRONG) {
          const names = stage.known[kindOf(route)]?.[0] ?? {};
          const answer = await ask(route, stage.callers.get(actor) ?? anonymous, names, call);
          expect([route, actor, answerOf(answer)]).toEqual([route, actor, ACCESS[route]?.[actor]]);
        }
  });

  test("treats a malformed id as unknown, whatever was sent with it", async () => {
    const sender = stage.callers.get("sender") ?? anonymous;
    for (const route of named().filter((one) => one.includes("/envelopes/"))) {
      const names = { ...stage.known["envelopes"]?.[0], id: "pas-un-id" };
      for (const call of route.startsWith("GET") ? [{}] : WRONG)
        expect([route, answerOf(await ask(route, sender, names, call))]).toEqual([
          route,
          "not_found",
        ]);
    }
  });
});

describe("the key of a team or of the organisation", () => {
  const opened = () =>
    named().filter((route) => {
      const [method = "", path = ""] = route.split(" ");
      return scopeOfRoute(method, `${path}/`) !== null && !path.includes("/prints/");
    });
  const answerTo = async (route: string, by: Caller, names: Names) =>
    answerOf(await ask(route, by, names, { body: BODIES[route] }));

  test("finds nothing that a person has, nor another team, on every route", async () => {
    const { keys } = stage;
    expect(opened().length).toBeGreaterThan(25);
    for (const route of opened()) {
      for (const names of stage.known[kindOf(route)] ?? [])
        for (const by of [keys.team, keys["other team"], keys.organisation])
          expect([route, await answerTo(route, by, names)]).toEqual([route, "not_found"]);
      for (const names of keys.held[kindOf(route)] ?? [])
        expect([route, await answerTo(route, keys["other team"], names)]).toEqual([
          route,
          "not_found",
        ]);
    }
  });

  test("finds what its team has, the organisation's what any team has", async () => {
    const { keys } = stage;
    const reads = opened().filter(
      (route) => route.startsWith("GET ") && kindOf(route) in keys.held,
    );
    expect(reads.length).toBeGreaterThan(8);
    for (const route of reads)
      for (const names of keys.held[kindOf(route)] ?? [])
        for (const by of [keys.team, keys.organisation])
          expect([route, await answerTo(route, by, names)]).toEqual([route, ACCESS[route]?.sender]);
  });

  test("opens no route without a scope, a guest's included", async () => {
    const names = stage.keys.held["envelopes"]?.[0] ?? {};
    for (const rest of ["sign", "sign_authenticated", "guest", "decline", "visa"]) {
      const route = ROUTES.find((one) => one.endsWith(`/envelopes/:id/${rest}`)) ?? rest;
      expect([route, await answerTo(route, stage.keys.team, names)]).toEqual([
        route,
        "key_not_for_programs",
      ]);
    }
  });
});

test("a link opens nothing for a member who confirms each signature", async () => {
  const { db } = service.platform;
  const confirm = (confirms_signatures: boolean) =>
    db.updateTable("organisations").set({ confirms_signatures }).execute();
  await confirm(true);
  const names = stage.known["envelopes"]?.[0] ?? {};
  const opened = ROUTES.filter((route) => ACCESS[route]?.guest !== ACCESS[route]?.anonymous);
  for (const route of opened) {
    const answer = await ask(route, stage.memberGuest, names, { body: BODIES[route] });
    expect([route, answerOf(answer)]).toEqual([route, "account_required"]);
  }
  expect(opened.length).toBeGreaterThan(12);
  await confirm(false);
});

/** Everything that could distinguish one id from another. */
function comparable(answer: Answer): object {
  const { status, body, headers, text } = answer;
  const { request_id: _own, instance: _address, ...rest } = body ?? {};
  const {
    date: _date,
    "x-request-id": _id,
    "content-length": _length,
    "set-cookie": _cookie,
    ...kept
  } = headers as Record<string, unknown>;
  return { status, body: body === null ? text : rest, headers: Object.keys(kept).sort() };
}

/** A delegate gets what their delegator does, on the days of the delegation. */
function expectedOf(row: Row, actor: string): Row[keyof Row] {
  // Whoever has an address confirms it.
  if (actor === "delegate" && row.unconfirmed === "allowed" && row.stranger === "not_found")
    return "not_a_signer";
  if (actor === "delegate" && row.recipient !== row.stranger) return row.recipient;
  if (actor.startsWith("delegate")) return row.member;
  return row[ACTORS.find((one) => one === actor) ?? "stranger"];
}

test("every caller gets what the table says, from every route", { timeout: 60_000 }, async () => {
  const wrong: unknown[] = [];
  for (const [route, row] of Object.entries(ACCESS)) {
    const things = stage.known[kindOf(route)] ?? [];
    let allowed = 0;
    const calls = [...stage.callers].map(([actor, caller]) => {
      // Without a built client, a page is 503.
      const expected = route.startsWith("GET /sign/") ? "503" : expectedOf(row, actor);
      // What one deletes, the next needs again.
      const at = expected === "allowed" && kindOf(route) !== "envelopes" ? allowed++ : 0;
      return { actor, expected, caller, names: things[at % things.length] ?? {} };
    });
    const compareAnswer = async ({ actor, expected, caller, names }: (typeof calls)[number]) => {
      const call = BODY_FIRST.test(route) ? { body: BODIES[route] } : {};
      const answer = answerOf(await ask(route, caller, names, call));
      if (answer !== expected) wrong.push([route, actor, expected, answer]);
    };
    await Promise.all(calls.filter((one) => one.expected !== "allowed").map(compareAnswer));
    for (const call of calls.filter((one) => one.expected === "allowed")) await compareAnswer(call);
  }
  expect(wrong).toEqual([]);
  // None of the refused calls changed anything.
  const { db } = service.platform;
  const rows = await db.selectFrom("envelopes").select("title").execute();
  expect(rows.filter(({ title }) => title === "À moi")).toEqual([]);
});
