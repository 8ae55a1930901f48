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

/** Expects a call to answer with this status. */
export async function expectStatus(call: Answer | Promise<Answer>, status: number): Promise<void> {
  const answer = await call;
  expect(answer.status, answer.text).toBe(status);
}
