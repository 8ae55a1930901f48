import { beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts, showToast } from "./toast-store.ts";

beforeEach(clearToasts);

test("shows at most one error every 3 seconds", () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(10_000);
  showToast("err", "Échec de l'annulation");
  showToast("err", "Échec du chargement des brouillons");
  expect(currentToasts().map((toast) => toast.message)).toEqual(["Échec de l'annulation"]);
  clock.mockReturnValue(13_000);
  showToast("err", "Échec du chargement des brouillons");
  expect(currentToasts()).toHaveLength(2);
});

test("keeps three at once and never shows the same one twice", () => {
  for (const message of ["a", "b", "b", "c", "d"]) showToast("ok", message);
  expect(currentToasts().map((toast) => toast.message)).toEqual(["b", "c", "d"]);
});

test("can be taken back", () => {
  const remove = showToast("info", "Redirection");
  remove();
  expect(currentToasts()).toEqual([]);
});
