import type { FieldValues, Resolver } from "react-hook-form";

/**
 * Checks a form by rules that come in a file of their own, with the library they are written in: asked for at the first check, when a field is
 * left or the form is sent, once the page is there. Where they do not come (no network), nothing is refused here: the service checks by the same ones.
 */
export function lazyResolver<V extends FieldValues>(
  load: () => Promise<Resolver<V, unknown, V>>,
): Resolver<V, unknown, V> {
  let rules: Promise<Resolver<V, unknown, V>> | undefined;
  return async (values, context, options) => {
    try {
      rules ??= load();
      return await (await rules)(values, context, options);
    } catch (error) {
      rules = undefined;
      console.warn("the rules of a form could not be loaded", error);
      return { values, errors: {} };
    }
  };
}
