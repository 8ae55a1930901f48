import type { FieldValues, Resolver } from "react-hook-form";

/**
 * Loads a form's rules at the first check. Without a network nothing is refused: the service checks
 * too.
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
