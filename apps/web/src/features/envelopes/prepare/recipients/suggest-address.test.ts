import { describe, expect, it } from "vitest";
import { suggestAddress } from "./suggest-address.ts";

const meant = (domain: string, known?: Parameters<typeof suggestAddress>[1]) =>
  suggestAddress(`Anne.P@${domain}`, known);

describe("an address with a mistyped domain", () => {
  it("proposes the probable provider and keeps the local part", () => {
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

  it("proposes the domain of earlier recipients", () => {
    const known = [{ domain: "cabinet-durand.fr", people: 4 }];
    expect(meant("cabinet-durnad.fr", known)).toBe("Anne.P@cabinet-durand.fr");
    expect(meant("cabinetdurand.fr", known)).toBe("Anne.P@cabinet-durand.fr");
    expect(meant("cabinet-durand.fr", known)).toBeNull();
    expect(meant("cabinet-dupont.fr", known)).toBeNull();
  });

  it("still corrects a domain used once, not one of several people", () => {
    expect(meant("gmial.com", [{ domain: "gmial.com", people: 1 }])).toBe("Anne.P@gmail.com");
    expect(meant("gmial.com", [{ domain: "gmial.com", people: 2 }])).toBeNull();
  });
});

describe("an address that is right, or none", () => {
  it("accepts providers, real domains that look like one, and others", () => {
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

  it("does not correct text that is not yet an address", () => {
    for (const text of ["", "anne", "anne@", "@gmial.com", "gmial.com"])
      expect(suggestAddress(text), text).toBeNull();
  });
});
