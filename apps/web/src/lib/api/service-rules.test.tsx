import { act, renderHook } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { rememberServiceRules, serviceRules, useServiceRules } from "./service-rules.ts";

const USUAL = {
  registration: { kind: "open", domains: [] },
  mail: true,
  sms: true,
  providers: [],
};
afterEach(() => act(() => rememberServiceRules(USUAL)));

test("everything is offered until the service gives its rules, which the page then follows", () => {
  const { result } = renderHook(useServiceRules);
  expect(result.current).toEqual(USUAL);
  const told = {
    registration: { kind: "domains", domains: ["mairie.fr"] },
    mail: false,
    sms: false,
    providers: [{ kind: "proconnect", label: "ProConnect" }],
  };
  const unknown = [{ kind: "saml", label: "Autre" }, { kind: "oidc" }, null];
  act(() =>
    rememberServiceRules({
      ...told,
      providers: [...told.providers, ...unknown],
      password_min_length: 5,
    }),
  );
  expect(result.current).toEqual(told);
  expect(serviceRules()).toEqual(told);
});

test.each([
  null,
  {},
  { registration: "closed", mail: false },
  { registration: { kind: "closed" }, mail: false },
  { registration: { kind: "shut", domains: [] }, mail: false },
  { registration: { kind: "domains", domains: [1] }, mail: false },
  { registration: { kind: "closed", domains: [] }, mail: "none" },
])("%j says nothing: all stays as it was", (answer) => {
  rememberServiceRules(answer);
  expect(serviceRules()).toEqual(USUAL);
});
