import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type PushReceiver, startPushReceiver } from "../../../testing/push-receiver.ts";
import { ForbiddenAddressError, guardedPost } from "./guarded-post.ts";
import { isPublicAddress } from "./public-address.ts";

let receiver: PushReceiver;
beforeAll(async () => {
  receiver = await startPushReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.answers.length = 0;
});

const post = (url: string, options: { mayReach?: (ip: string) => boolean; timeoutMs?: number } = {}) =>
  guardedPost({ url, headers: {}, body: new Uint8Array(3), mayReach: () => true, ...options });

describe("a call to an address that a person gave", () => {
  test("is made where it may go", async () => {
    receiver.answers.push({ status: 202, body: "pris" });
    // No browser of this path: the receiver says so.
    expect(await post(`https://localhost:${receiver.port}/personne`)).toEqual({ status: 404, text: "pris" });
  });

  test("is judged by what the name leads to, and nothing is sent where it may not go", async () => {
    const before = receiver.requests();
    const judged: string[] = [];
    const mayReach = (ip: string) => {
      judged.push(ip);
      return isPublicAddress(ip);
    };
    for (const host of ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1"])
      await expect(post(`https://${host}:${receiver.port}/`, { mayReach })).rejects.toThrow(ForbiddenAddressError);
    expect(judged.length).toBeGreaterThan(6);
    expect(judged.every((ip) => !isPublicAddress(ip))).toBe(true);
    expect(receiver.requests()).toBe(before);
  });

  test("goes nowhere when a name leads to one address that may be reached and one that may not", async () => {
    let asked = 0;
    const mayReach = () => {
      asked += 1;
      return asked > 1;
    };
    await expect(post(`https://localhost:${receiver.port}/`, { mayReach })).rejects.toThrow(ForbiddenAddressError);
  });

  test.each(["http://localhost/", "ftp://localhost/", "https://moi@localhost/", "https://moi:secret@localhost/"])(
    "is not made to %s",
    async (url) => {
      await expect(post(url)).rejects.toThrow(ForbiddenAddressError);
    },
  );

  test("follows no redirection", async () => {
    const browser = receiver.subscribe();
    receiver.answers.push({ status: 307, headers: { location: `https://localhost:${receiver.port}/ailleurs` } });
    const before = receiver.requests();
    expect((await post(browser.target.endpoint)).status).toBe(307);
    expect(receiver.requests()).toBe(before + 1);
  });

  test("ends after its time: 5 seconds unless told", async () => {
    const given = vi.spyOn(AbortSignal, "timeout");
    const browser = receiver.subscribe();
    receiver.answers.push({ status: 500 }, { status: 500, delayMs: 3_000 });
    await post(browser.target.endpoint);
    expect(given).toHaveBeenCalledWith(5_000);
    await expect(post(browser.target.endpoint, { timeoutMs: 200 })).rejects.toThrow(/abort|timeout/i);
    given.mockRestore();
  });

  test("reads 1 MB at most", async () => {
    const browser = receiver.subscribe();
    receiver.answers.push({ status: 500, body: new Uint8Array(1_048_576) }, { status: 500, body: new Uint8Array(1_048_577) });
    expect((await post(browser.target.endpoint)).text).toHaveLength(1_048_576);
    await expect(post(browser.target.endpoint)).rejects.toThrow("longer than 1 MB");
  });

  test("is not made to a server that cannot prove its name", async () => {
    await expect(post(`https://127.0.0.2:${receiver.port}/`)).rejects.toThrow();
  });
});
