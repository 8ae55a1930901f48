import { expect } from "vitest";
import { type Answer, refusal } from "./browser.ts";

/** Expects a call to be refused with this status and problem code. */
export async function expectRefusal(
  call: Answer | Promise<Answer>,
  status: number,
  code: string,
): Promise<void> {
  expect(refusal(await call)).toEqual([status, code]);
}

type Answered = { readonly status: number; readonly text?: unknown };

/** Expects a call to answer with this status. */
export async function expectStatus(
  call: Answered | Promise<Answered>,
  status: number,
): Promise<void> {
  const answer = await call;
  expect(answer.status, typeof answer.text === "string" ? answer.text : "").toBe(status);
}
