import { expect, test } from "vitest";
import { statusLook } from "./status-badge.tsx";

test("each status has the specification's word and colour", () => {
  expect(statusLook("draft")).toEqual({ tone: "draft", label: "Brouillon" });
  for (const status of ["sent", "pending"])
    expect(statusLook(status)).toEqual({ tone: "sent", label: "En cours" });
  for (const status of ["completed", "signed"])
    expect(statusLook(status)).toEqual({ tone: "completed", label: "Terminé" });
  for (const status of ["cancelled", "canceled"])
    expect(statusLook(status)).toEqual({ tone: "cancelled", label: "Annulé" });
  expect(statusLook("action_required")).toEqual({ tone: "action", label: "Action requise" });
});

test("an unknown status reads as sent", () => {
  expect(statusLook("quantum").label).toBe("En cours");
});
