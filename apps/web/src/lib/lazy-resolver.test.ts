import type { Resolver, ResolverOptions } from "react-hook-form";
import { expect, test, vi } from "vitest";
import { lazyResolver } from "./lazy-resolver.ts";

type Values = { readonly name: string };
type Rules = Resolver<Values, unknown, Values>;
const options: ResolverOptions<Values> = {
  fields: {},
  names: ["name"],
  criteriaMode: "firstError",
  shouldUseNativeValidation: false,
};
const rules: Rules = async (values) =>
  values.name === ""
    ? { values: {}, errors: { name: { type: "required", message: "Nom requis" } } }
    : { values, errors: {} };

test("a form's rules load once, at its first check", async () => {
  const load = vi.fn(async () => rules);
  const check = lazyResolver(load);
  expect(load).not.toHaveBeenCalled();
  expect((await check({ name: "" }, undefined, options)).errors).toEqual({
    name: { type: "required", message: "Nom requis" },
  });
  expect((await check({ name: "Roux" }, undefined, options)).errors).toEqual({});
  expect(load).toHaveBeenCalledTimes(1);
});

test("rules that do not load refuse nothing, and are asked for again", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const load = vi.fn(async () => rules).mockRejectedValueOnce(new TypeError("Failed to fetch"));
  const check = lazyResolver(load);
  expect(await check({ name: "" }, undefined, options)).toEqual({
    values: { name: "" },
    errors: {},
  });
  expect((await check({ name: "" }, undefined, options)).errors).toHaveProperty("name");
});
