import { describe, expect, it } from "vitest";
import { suggestAddress } from "./suggest-address.ts";

const meant = (domain: string, known?: Parameters<typeof suggestAddress>[1]) =>
  suggestAddress(`Anne.P@${domain}`, known);

describe("an address with a mistyped domain", () => {
  it("gets the provider that was meant, its first part kept", () => {
    expect(meant("gmial.com")).toBe("Anne.P@gmail.com");
    for (const slip of [
      "gmai.com",
      "gmail.con",
      "gmail.cm",
      "gmail.co",
      "gmal.com",
      "ggmail.com",
      "GMAIL.FR",
      "gnail.com",
      "gmail.comm",
    ])
      expect(meant(slip), slip).toBe("Anne.P@gmail.com");
    expect(meant("ornage.fr")).toBe("Anne.P@orange.fr");
    expect(meant("wanado.fr")).toBe("Anne.P@wanadoo.fr");
    expect(meant("laposte.fr")).toBe("Anne.P@laposte.net");
    expect(meant("laposte.nte")).toBe("Anne.P@laposte.net");
    expect(meant("hotmial.fr")).toBe("Anne.P@hotmail.fr");
    expect(meant("hormial.com")).toBe("Anne.P@hotmail.com");
    expect(meant("outlok.fr")).toBe("Anne.P@outlook.fr");
    expect(meant("yaho.fr")).toBe("Anne.P@yahoo.fr");
    expect(meant("iclod.com")).toBe("Anne.P@icloud.com");
    expect(meant("fere.fr")).toBe("Anne.P@free.fr");
    expect(meant("srf.fr")).toBe("Anne.P@sfr.fr");
  });

  it("gets the domain of people asked before", () => {
    const known = [{ domain: "cabinet-durand.fr", people: 4 }];
    expect(meant("cabinet-durnad.fr", known)).toBe("Anne.P@cabinet-durand.fr");
    expect(meant("cabinetdurand.fr", known)).toBe("Anne.P@cabinet-durand.fr");
    expect(meant("cabinet-durand.fr", known)).toBeNull();
    expect(meant("cabinet-dupont.fr", known)).toBeNull();
  });

  it("is still told of a slip made once before, not of a domain several people have", () => {
    expect(meant("gmial.com", [{ domain: "gmial.com", people: 1 }])).toBe("Anne.P@gmail.com");
    expect(meant("gmial.com", [{ domain: "gmial.com", people: 2 }])).toBeNull();
  });
});

describe("an address that is right, or none", () => {
  it("says nothing of providers, of real domains that look like one, nor of others", () => {
    for (const domain of [
      "gmail.com",
      "Orange.fr",
      "mail.com",
      "ymail.com",
      "gmx.fr",
      "hotmail.com",
      "outlook.fr",
      "yahoo.fr",
      "live.fr",
    ])
      expect(meant(domain), domain).toBeNull();
    for (const domain of [
      "exemple.fr",
      "orange.com",
      "afr.fr",
      "sfr.com",
      "fred.fr",
      "fre.fr",
      "etude-notariale.fr",
      "mairie-rouen.fr",
    ])
      expect(meant(domain), domain).toBeNull();
  });

  it("says nothing of what is no address yet", () => {
    for (const text of ["", "anne", "anne@", "@gmial.com", "gmial.com"])
      expect(suggestAddress(text), text).toBeNull();
  });
});
