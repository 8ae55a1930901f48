import { expect, test } from "vitest";
import { createLog } from "./create-log.ts";

function collect() {
  const lines: string[] = [];
  const log = createLog({ write: (line: string) => lines.push(line) });
  return { log, lines };
}

test("writes one JSON line a message, whatever line breaks a field holds", () => {
  const { log, lines } = collect();
  log.info({ state: 'queued\n{"level":60}' }, "a notice waits\r\nforged");
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd()).not.toContain("\n");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ state: 'queued\n{"level":60}' });
});

test("blanks what would be a person's data or a secret", () => {
  const { log, lines } = collect();
  log.warn({ email: "marie@exemple.fr", token: "abc", nested: { code: "123456", title: "Bail" }, id: "7" }, "said");
  expect(lines.join("")).not.toMatch(/marie|abc|123456|Bail/);
  expect(JSON.parse(lines[0] ?? "").id).toBe("7");
});

test("describes an error and its cause without the rows' values that PostgreSQL adds", () => {
  const { log, lines } = collect();
  const cause = Object.assign(new Error("duplicate key"), { code: "23505", detail: "Key (email)=(marie@exemple.fr) already exists." });
  log.error({ error: new Error("could not insert", { cause }) }, "failed");
  expect(lines.join("")).not.toContain("marie");
  expect(JSON.parse(lines[0] ?? "").error).toMatchObject({
    message: "could not insert",
    cause: { message: "duplicate key", error_code: "23505" },
  });
});
