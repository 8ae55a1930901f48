import type { Envelope } from "@paraphe/contracts";
import { render, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { changesBetween, useAnnouncedChanges } from "./detail-page.tsx";

const paul = {
  id: "r1",
  full_name: "Paul Martin",
  signed: false,
  status: "notified",
  viewed_at: null,
};
const zoe = { ...paul, id: "r2", full_name: "Zoë Œuvrard" };
const envelope = (status: string, ...recipients: object[]) =>
  ({ id: "e1", status, deadline_at: null, recipients }) as unknown as Envelope;
const before = envelope("sent", paul, zoe);

test("a signature, a refusal, a first opening and the end are announced", () => {
  expect(
    changesBetween(before, envelope("sent", { ...paul, viewed_at: "2026-11-21T14:16:04Z" }, zoe)),
  ).toEqual(["Paul Martin a ouvert le document."]);
  const signed = { ...paul, signed: true, status: "signed", viewed_at: "2026-11-21T14:16:04Z" };
  expect(changesBetween(before, envelope("pending", signed, zoe))).toEqual([
    "Paul Martin a signé.",
  ]);
  expect(changesBetween(before, envelope("completed", signed, { ...zoe, signed: true }))).toEqual([
    "Paul Martin a signé.",
    "Zoë Œuvrard a signé.",
    "Toutes les signatures sont recueillies.",
  ]);
  expect(
    changesBetween(before, envelope("declined", paul, { ...zoe, status: "declined" })),
  ).toEqual(["Zoë Œuvrard a refusé de signer."]);
  const declined = { ...zoe, role: "visa", status: "declined" };
  expect(changesBetween(before, envelope("declined", paul, declined))).toEqual([
    "Zoë Œuvrard a refusé son visa.",
  ]);
  expect(changesBetween(before, envelope("expired", paul, zoe))).toEqual([
    "L’échéance est dépassée.",
  ]);
});

test("the user's own action, no change and another envelope are not announced", () => {
  expect(changesBetween(before, before)).toEqual([]);
  expect(changesBetween(before, envelope("cancelled", paul, zoe))).toEqual([]);
  expect(
    changesBetween(before, { ...envelope("completed", { ...paul, signed: true }), id: "e2" }),
  ).toEqual([]);
});

const until = (day: string | null) => ({ ...before, deadline_at: day && `${day}T22:59:59.000Z` });

test.each([
  ["set", null, "2026-11-24", "Échéance fixée au mardi 24\u00a0novembre 2026."],
  [
    "put a week later",
    "2026-11-24",
    "2026-12-01",
    "Échéance prolongée au mardi 1er\u00a0décembre 2026.",
  ],
  [
    "moved to an earlier day",
    "2026-12-01",
    "2026-11-24",
    "Échéance avancée au mardi 24\u00a0novembre 2026.",
  ],
  ["removed", "2026-11-24", null, "Échéance retirée."],
])("a deadline %s is announced", (_what, from, to, sentence) => {
  expect(changesBetween(until(from), until(to))).toEqual([sentence]);
  expect(changesBetween({ ...until(from), status: "expired" }, until(to))).toEqual([sentence]);
});

test("changes are announced once, politely, in the page's live region", async () => {
  const Page = ({ shown }: { readonly shown: Envelope }) => {
    useAnnouncedChanges(shown);
    return null;
  };
  const { rerender } = render(<Page shown={before} />);
  rerender(<Page shown={envelope("pending", { ...paul, signed: true }, zoe)} />);
  await waitFor(() =>
    expect(document.getElementById("annonces")?.textContent).toBe("Paul Martin a signé."),
  );
  expect(document.getElementById("annonces")?.getAttribute("role")).toBe("status");
});
