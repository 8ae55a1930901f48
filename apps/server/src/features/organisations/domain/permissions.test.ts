import { MEMBER_ROLES } from "@paraphe/contracts";
import { describe, expect, test } from "vitest";
import { holdersOf, isPermitted, refusalOf } from "./permissions.ts";

const rolesThatMay = (
  action: Parameters<typeof isPermitted>[1],
  team?: { readonly isAdministrator: boolean },
) => [null, ...MEMBER_ROLES].filter((role) => isPermitted(role, action, team));

describe("who may do what", () => {
  test("everybody but a reader works, also somebody without an organisation", () => {
    expect(rolesThatMay("do_work")).toEqual([null, "owner", "administrator", "member"]);
    expect(refusalOf("do_work")).toBe("readers_only_read");
  });

  test("teams are made by owners and administrators, and seen by each member", () => {
    expect(rolesThatMay("manage_teams")).toEqual(["owner", "administrator"]);
    expect(rolesThatMay("list_teams")).toEqual(["owner", "administrator", "member", "reader"]);
  });

  test("a member changes the team that they administer, and no other; a reader changes none", () => {
    expect(rolesThatMay("change_team")).toEqual(["owner", "administrator"]);
    expect(rolesThatMay("change_team", { isAdministrator: false })).toEqual([
      "owner",
      "administrator",
    ]);
    expect(rolesThatMay("change_team", { isAdministrator: true })).toEqual([
      "owner",
      "administrator",
      "member",
    ]);
  });

  test("a team's administrator gets no other right", () => {
    for (const action of ["manage_teams", "invite_members", "read_journal"] as const)
      expect(isPermitted("member", action, { isAdministrator: true })).toBe(false);
  });

  test("a person sees what is theirs and what is their teams'", () => {
    const team = { id: "t", name: "Marchés", isAdministrator: false };
    expect(holdersOf({ id: "p", teams: [team] })).toEqual(["p", "t"]);
  });
});
