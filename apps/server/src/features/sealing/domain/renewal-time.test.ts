import { expect, it } from "vitest";
import { renewalTime } from "./renewal-time.ts";

const at = (day: string) => new Date(`${day}T00:00:00Z`);

it("is half a year before the authority's certificate ends", () => {
  expect(renewalTime(at("2026-11-21"), at("2036-11-21"))).toEqual(at("2036-05-25"));
});

it("leaves a quarter of a short life, so that a certificate near its end is not asked for every day", () => {
  expect(renewalTime(at("2026-01-01"), at("2026-01-09"))).toEqual(at("2026-01-07"));
});

it("is at once when the certificate has ended", () => {
  expect(renewalTime(at("2026-01-09"), at("2026-01-01"))).toEqual(at("2026-01-01"));
});
