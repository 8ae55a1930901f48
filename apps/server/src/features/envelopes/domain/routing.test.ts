import { describe, expect, it } from "vitest";
import { awaitedRecipients } from "./routing.ts";

const person = (
  id: string,
  order: number,
  rest: { role?: "signer" | "approver" | "viewer"; status?: "waiting" | "notified" | "signed" | "declined" } = {},
) => ({
  id,
  order,
  role: rest.role ?? ("signer" as const),
  status: rest.status ?? ("waiting" as const),
});

describe("whose signature is awaited", () => {
  it("is everybody's at once in a parallel flow, whatever their rank", () => {
    expect(awaitedRecipients("parallel", [person("a", 2), person("b", 1, { role: "approver" })])).toEqual(new Set(["a", "b"]));
  });

  it("is the first rank's only in a sequential flow, equal ranks together", () => {
    const people = [person("c", 5), person("a", 2), person("b", 2)];
    expect(awaitedRecipients("sequential", people)).toEqual(new Set(["a", "b"]));
  });

  it("moves to the next rank once every one of the rank has signed", () => {
    const people = [person("a", 1, { status: "signed" }), person("b", 1), person("c", 2)];
    expect(awaitedRecipients("sequential", people)).toEqual(new Set(["b"]));
    expect(
      awaitedRecipients("sequential", [
        people[0] as never,
        { ...(people[1] as ReturnType<typeof person>), status: "signed" },
        people[2] as never,
      ]),
    ).toEqual(new Set(["c"]));
  });

  it("is never a viewer's, and a viewer's rank blocks nobody", () => {
    expect(awaitedRecipients("sequential", [person("v", 1, { role: "viewer" }), person("a", 2)])).toEqual(new Set(["a"]));
    expect(awaitedRecipients("parallel", [person("v", 1, { role: "viewer" })])).toEqual(new Set());
  });

  it("is nobody's once all have signed", () => {
    expect(awaitedRecipients("parallel", [person("a", 1, { status: "signed" })])).toEqual(new Set());
  });
});
