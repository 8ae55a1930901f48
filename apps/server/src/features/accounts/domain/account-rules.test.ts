import { describe, expect, test } from "vitest";
import { checkPassword } from "./check-password.ts";
import {
  accessEnd,
  ACCOUNT_LIMIT,
  ADDRESS_LIMIT,
  beginTry,
  checkRefresh,
  linkWindowStart,
  LOGIN_WINDOW_MS,
  type LoginFailures,
  mayGetLink,
  refreshEnd,
  sessionEnd,
} from "./limits.ts";
import { checkBirthDate, checkUsername, deviceName, emailKey, usernameKey } from "./names.ts";
import { maskEmail, maskPhone } from "@paraphe/contracts";

const now = new Date("2026-11-21T10:00:00.000Z");

describe("a username", () => {
  test.each([
    "zoe",
    "Éloïse.Lefèvre",
    "françois-müller",
    "Œuvrard_2",
    "maelys+2",
    "Ÿvonne",
    "Michał",
    "Jørgen",
    "Đặng",
    "șerban",
    "a",
    "2026",
  ])("the username %j is accepted", (name) => {
    expect(checkUsername(name)).toBeNull();
  });

  test.each([
    ["раураl", "Cyrillic letters that pass for Latin ones"],
    ["pаul", "one Cyrillic letter among Latin ones"],
    ["οmar", "a Greek omicron"],
    ["mıke", "a dotless i"],
    ["ɑdmin", "a Latin alpha"],
    ["zoe@exemple.fr", "an e-mail address"],
    ["zoe\u200bmartin", "an invisible character"],
    ["zoe’s", "an apostrophe"],
    ["zoe martin", "a space"],
    ["zoe\u00a0martin", "a no-break space"],
    [".zoe", "a mark at the start"],
    ["zoe-", "a mark at the end"],
    ["<zoe>", "angle brackets"],
  ])("the username %j is refused: %s", (name) => {
    expect(checkUsername(name)).not.toBeNull();
  });
});

describe("a password", () => {
  const context = { username: "Camille", email: "c.roux@exemple.fr", minimumLength: 5 };
  const TOO_COMMON = "Ce mot de passe est trop courant. Choisissez-en un autre";

  test.each(["q7v!d", "deux mots", "     a    ", "🙂🙂🙂🙂🙂", "é".repeat(128)])(
    "%j is accepted",
    (password) => {
      expect(checkPassword(password, context)).toBeNull();
    },
  );

  test.each(["", "abcd", "🙂🙂🙂🙂"])("%j is too short", (password) => {
    expect(checkPassword(password, context)).toBe("Minimum 5 caractères");
  });

  test("a password over 128 characters is refused", () => {
    expect(checkPassword("é".repeat(129), context)).toBe("128 caractères au maximum");
  });

  test("a password follows a higher minimum", () => {
    expect(checkPassword("q7v!d", { ...context, minimumLength: 12 })).toBe("Minimum 12 caractères");
  });

  test.each(["Camille", "CAMILLE", "c.roux@exemple.fr", "C.Roux", "Paraphe", "ｃａｍｉｌｌｅ"])(
    "%j names its owner or the product",
    (password) => {
      expect(checkPassword(password, context)).toMatch(/^Choisissez un mot de passe différent/);
    },
  );

  test.each(["123456", "azerty123", "Motdepasse", "doudou!", "PASSWORD1", "soleil."])(
    "%j is among the most common",
    (password) => {
      expect(checkPassword(password, context)).toBe(TOO_COMMON);
    },
  );
});

describe("a birth date", () => {
  test.each([
    ["2026-11-21", null],
    ["1896-01-01", null],
    ["2026-11-22", "La date de naissance doit être dans le passé"],
    ["1895-12-31", "Date invalide"],
  ])("%s: %s", (date, fault) => {
    expect(checkBirthDate(date, now)).toBe(fault);
  });
});

describe("the key that names and addresses are compared by", () => {
  test.each([
    ["Camille.Roux@Exemple.FR", "camille.roux@exemple.fr"],
    [" zoe@exemple.fr ", "zoe@exemple.fr"],
    ["ｚｏｅ", "zoe"],
    ["\u212aevin", "kevin"],
    ["Éloïse", "éloïse"],
    ["e\u0301loi\u0308se", "éloïse"],
  ])("%j is compared as %j", (text, key) => {
    expect(usernameKey(text)).toBe(key);
    expect(emailKey(text)).toBe(key);
  });

  test("a key is its own key", () => {
    for (const text of ["İstanbul", "ŒUVRARD", "ﬁn", "Σίσυφος"])
      expect(usernameKey(usernameKey(text))).toBe(usernameKey(text));
  });
});

describe("a masked address", () => {
  test("a masked e-mail address shows its first letter and its domain", () => {
    expect(maskEmail("camille.durand@exemple.fr")).toBe("c•••@exemple.fr");
    expect(maskEmail("a@exemple.fr")).toBe("a•••@exemple.fr");
    expect(maskEmail("sans-arobase")).toBe("•••");
  });

  test("a masked phone number shows its last four digits", () => {
    expect(maskPhone("+33612344567")).toBe("•• •• •• 45 67");
  });
});

describe("the limits of logins", () => {
  const start = new Date("2026-11-21T10:00:00.000Z");
  const MINUTE = 60_000;

  /** The waits between tries, in minutes. */
  function waits(limit: typeof ACCOUNT_LIMIT, tries: number): number[] {
    let now = start.getTime();
    let known: LoginFailures | null = null;
    const waited: number[] = [];
    for (let n = 0; n < tries; n++) {
      const asked = beginTry(known, limit, new Date(now));
      waited.push(asked.waitMs / MINUTE);
      now += asked.waitMs;
      known = asked.waitMs > 0 ? beginTry(known, limit, new Date(now)).next : asked.next;
    }
    return waited;
  }

  test("an account waits after five tries, twice as long each time, and starts anew after 15 minutes", () => {
    expect(waits(ACCOUNT_LIMIT, 9)).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8]);
    expect(waits(ACCOUNT_LIMIT, 13).slice(9)).toEqual([0, 0, 0, 0]);
  });

  test("an address waits for the rest of 15 minutes after twenty tries", () => {
    expect(waits(ADDRESS_LIMIT, 21)).toEqual([...Array(20).fill(0), 15]);
  });

  test("a locked key is not counted further, and keeps its end", () => {
    const lockedUntil = new Date(start.getTime() + MINUTE);
    const known = { failures: 5, windowStart: start, lockedUntil };
    expect(beginTry(known, ACCOUNT_LIMIT, start)).toEqual({ waitMs: MINUTE, next: known });
  });

  test("an old window is forgotten", () => {
    const now = new Date(start.getTime() + LOGIN_WINDOW_MS);
    const outcome = beginTry(
      { failures: 4, windowStart: start, lockedUntil: null },
      ACCOUNT_LIMIT,
      now,
    );
    expect(outcome).toEqual({
      waitMs: 0,
      next: { failures: 1, windowStart: now, lockedUntil: null },
    });
  });
});

describe("the limits of links", () => {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

  test.each([
    [[], true],
    [[60], true],
    [[59], false],
    [[600, 59], false],
    [[60, 600], true],
    [[60, 600, 1_200], false],
  ])("links made %j seconds ago: one more? %s", (earlier, allowed) => {
    expect(mayGetLink(earlier.map(ago), now)).toBe(allowed);
  });

  test("links count for an hour", () => {
    expect(linkWindowStart(now)).toEqual(ago(3_600));
  });
});

describe("the life of a session", () => {
  const after = (ms: number) => new Date(now.getTime() + ms);
  const HOUR = 3_600_000;

  test("a session ends after 12 hours, or 30 days when remembered", () => {
    expect(sessionEnd(now, false)).toEqual(after(12 * HOUR));
    expect(sessionEnd(now, true)).toEqual(after(30 * 24 * HOUR));
  });

  test("a refresh token ends with the idle time, never after its session", () => {
    expect(refreshEnd(now, { remembered: false, expiresAt: after(12 * HOUR) }, null)).toEqual(
      after(2 * HOUR),
    );
    expect(refreshEnd(now, { remembered: true, expiresAt: after(30 * 24 * HOUR) }, null)).toEqual(
      after(14 * 24 * HOUR),
    );
    expect(refreshEnd(now, { remembered: true, expiresAt: after(HOUR) }, null)).toEqual(
      after(HOUR),
    );
    const day = { remembered: false, expiresAt: after(12 * HOUR) };
    expect(refreshEnd(now, day, 8)).toEqual(after(8 * HOUR));
    expect(refreshEnd(now, day, 720)).toEqual(after(12 * HOUR));
  });

  test("an access token ends after 15 minutes, never after its session", () => {
    expect(accessEnd(now, { expiresAt: after(HOUR) })).toEqual(after(900_000));
    expect(accessEnd(now, { expiresAt: after(1_000) })).toEqual(after(1_000));
  });

  test.each([
    [{ expiresAt: after(1), rotatedAt: null }, "renew"],
    [{ expiresAt: now, rotatedAt: null }, "expired"],
    [{ expiresAt: after(1), rotatedAt: after(-30_000) }, "renew"],
    [{ expiresAt: after(1), rotatedAt: after(-30_001) }, "reused"],
    [{ expiresAt: now, rotatedAt: after(-30_001) }, "reused"],
  ])("the refresh token %j is %s", (token, worth) => {
    expect(checkRefresh(token, now)).toBe(worth);
  });
});

describe("the name of a device", () => {
  test.each([
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0",
      "Firefox sous Windows",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0",
      "Edge sous Windows",
    ],
    [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
      "Chrome sous Linux",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
      "Safari sous macOS",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
      "Safari sur iPhone",
    ],
    [
      "Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36",
      "Samsung Internet sous Android",
    ],
    [
      "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1",
      "Chrome sur iPad",
    ],
    ["curl/8.5.0", "Navigateur inconnu"],
    ["<script>alert(1)</script>", "Navigateur inconnu"],
    ["", "Navigateur inconnu"],
  ])("%s is « %s »", (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name);
  });
});
