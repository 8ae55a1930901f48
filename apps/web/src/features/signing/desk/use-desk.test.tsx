import { act, render, renderHook, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { ApiError } from "../../../lib/api/api-error.ts";
import type { SignAttempt, SigningCalls } from "../signing-calls.ts";
import { DeskActions } from "./desk-actions.tsx";
import { ApplyInitialsDialog, initialsOf } from "./desk-dialogs.tsx";
import { type SigningField, initialsLeft } from "./field-walk.ts";
import { InitialsBar } from "./signing-desk.tsx";
import { type OpenedRequest, createDeskMemory, useDesk } from "./use-desk.ts";
import { sampleField, typedMark } from "./testing/sample-field.ts";

const MARK = typedMark();
const INITIALS = typedMark("C. R.");
const WALK = {
  goTo: vi.fn(),
  leave: vi.fn(),
  answered: null,
  isToRead: false,
  next: vi.fn(),
  nextWords: null,
  pass: null,
  currentId: null,
};
const UNSIGNED = { signed: false, status: "viewed" };
const field = (id: string, part: Partial<SigningField> = {}) =>
  sampleField(id, { type: "initials", ...part });

const OUTSIDE =
  "Un trait sort de la zone de dessin. Effacez, puis dessinez votre signature de nouveau.";
/** A mark that the service refuses. */
const refusal = (key: string) =>
  new ApiError({ status: 400, code: "validation", errors: { [key]: [OUTSIDE] } });
const showActions = (desk: ReturnType<typeof useDesk>, onRedoMark = vi.fn()) =>
  render(
    <DeskActions
      {...{ desk, onRedoMark, role: "signer", place: "side", walk: WALK, onDecline: vi.fn() }}
      step={{ step: undefined, onOpen: vi.fn() }}
    />,
  );

/** `answers`: of `sign/`, one after the other; `states`: of the request when read again. */
function openDesk(
  fields: readonly SigningField[],
  answers: readonly (Error | null)[] = [null],
  states: readonly (object | null)[] = [],
  more: object = {},
) {
  const sent: ({ body: unknown } & SignAttempt)[] = [];
  const left = [...answers];
  const readings = [...states];
  const calls = {
    sign: async (body: unknown, attempt: SignAttempt) => {
      sent.push({ body, ...attempt });
      const answer = left.shift();
      if (answer) throw answer;
    },
    load: async () => {
      const state = readings.shift();
      if (state === null) throw new ApiError({ status: 0 });
      return { recipient: state ?? { signed: true } };
    },
  } as unknown as SigningCalls;
  const request = {
    id: "e1",
    recipient: { id: "r1", full_name: "Camille Roux" },
    documents: [{ id: "d1" }],
    fields,
    ...more,
  };
  const [onSigned, onOutcome, memory] = [vi.fn(), vi.fn(), createDeskMemory()];
  const hook = renderHook(() =>
    useDesk({ request: request as unknown as OpenedRequest, calls, memory, onSigned, onOutcome }),
  );
  return { desk: () => hook.result.current, sent, onSigned, onOutcome };
}

beforeEach(() => sessionStorage.clear());

it("sends the same request under the same key after a network cut", async () => {
  const fields = [field("s", { type: "signature" }), field("t", { type: "text" })];
  const { desk, sent, onSigned } = openDesk(
    fields,
    [new ApiError({ status: 0 }), null],
    [UNSIGNED],
  );
  act(() => {
    desk().useMark(MARK, [fields[0] as SigningField]);
    desk().setValue("t", "Dijon");
    desk().setConsent(true);
  });
  await act(async () => desk().sign());
  expect(desk().phase).toEqual({
    kind: "failed",
    message: "Votre signature n’a pas été enregistrée. Rien n’est perdu\u00a0: réessayez.",
    needsMark: null,
  });
  expect([
    desk().values["t"],
    desk().marked.has("s"),
    desk().consent,
    onSigned.mock.calls.length,
  ]).toEqual(["Dijon", true, true, 0]);
  await act(async () => desk().sign());
  expect(sent).toHaveLength(2);
  expect(sent[1]).toEqual(sent[0]);
  expect(onSigned).toHaveBeenCalledOnce();
});

it("finds a signature whose answer was lost", async () => {
  const { desk, sent, onSigned, onOutcome } = openDesk(
    [field("s", { type: "signature" })],
    [new ApiError({ status: 0 })],
  );
  await act(async () => desk().sign());
  expect([sent.length, onSigned.mock.calls.length, onOutcome.mock.calls.length]).toEqual([1, 1, 0]);
});

it("says that the outcome is unknown while the network is cut, and retries under the same key", async () => {
  const fields = [field("s", { type: "signature" })];
  const { desk, sent, onSigned } = openDesk(fields, [new ApiError({ status: 0 }), null], [null]);
  await act(async () => desk().sign());
  expect(desk().phase).toMatchObject({
    kind: "failed",
    message: expect.stringContaining("nous ne savons pas encore"),
  });
  await act(async () => desk().sign());
  expect([sent[0]?.key === sent[1]?.key, onSigned.mock.calls.length]).toEqual([true, 1]);
});

it("asks for another mark when the service refuses one", async () => {
  const fields = [field("s", { type: "signature" })];
  const { desk, onSigned } = openDesk(fields, [refusal("signature.strokes.0.0.1"), null]);
  act(() => {
    desk().useMark(MARK, fields);
    desk().setConsent(true);
  });
  await act(async () => desk().sign());
  expect(desk().phase).toMatchObject({ kind: "failed", needsMark: "signature" });
  const redo = vi.fn();
  const shown = showActions(desk(), redo);
  expect(screen.getByRole("alert").textContent).toContain(
    "dessinez votre signature de nouveau. Vos réponses sont gardées.",
  );
  await userEvent.click(screen.getByRole("button", { name: "Refaire ma signature" }));
  expect(redo).toHaveBeenCalledOnce();
  shown.unmount();
  act(() => desk().useMark(MARK, fields));
  expect(desk().phase.kind).toBe("reading");
  await act(async () => desk().sign());
  expect(onSigned).toHaveBeenCalledOnce();
});

const fields = [field("s", { type: "signature" })];

it("signs with the organisation's key on request, and with the signer's own after its failure", async () => {
  const away = new ApiError({
    status: 503,
    code: "hsm_unavailable",
    sentence: "Impossible de signer via HSM",
  });
  const { desk, sent, onSigned } = openDesk(fields, [away, null], [], { hsm: true });
  const side = showActions(desk());
  await userEvent.click(
    screen.getByRole("checkbox", { name: "Signer avec le cachet de l’organisation" }),
  );
  side.unmount();
  await act(async () => desk().sign());
  expect(desk().phase).toMatchObject({ kind: "failed", message: "Impossible de signer via HSM" });
  act(() => desk().setBy("person"));
  await act(async () => desk().sign());
  expect(sent.map(({ by }) => by)).toEqual(["hsm", "person"]);
  expect([sent[0]?.key === sent[1]?.key, onSigned.mock.calls.length]).toEqual([false, 1]);
});

it("does not offer the organisation's key where there is none", () => {
  const { desk } = openDesk(fields, [null], [], { hsm: false });
  showActions(desk());
  expect(screen.queryByRole("checkbox", { name: /cachet/ })).toBeNull();
});

const pages = [1, 2, 3].map((page) => field(`i${page}`, { page }));
const signature = field("s", { type: "signature", page: 3, y: 0.8 });

it("puts all initials with one press, and takes only those back with another", () => {
  const { desk } = openDesk([...pages, signature]);
  act(() => desk().useMark(MARK, [pages[0] as SigningField]));
  expect([desk().applied, desk().remaining.length]).toEqual([null, 3]);
  act(() => void desk().applyInitials());
  expect([desk().applied, [...desk().marked]]).toEqual([
    { count: 2, isInitials: true },
    ["i1", "i2", "i3"],
  ]);
  act(() => desk().undoApplied());
  expect([desk().applied, [...desk().marked]]).toEqual([null, ["i1"]]);
  act(() => void desk().applyInitials());
  expect(desk().applied?.count).toBe(2);
  act(() => desk().setConsent(true));
  expect(desk().applied).toBeNull();
});

it("sends initials and signature as separate marks", async () => {
  const { desk, sent } = openDesk([...pages, signature]);
  act(() => desk().useMark(INITIALS, pages));
  expect([desk().markOf(signature), desk().remaining.map(({ id }) => id)]).toEqual([null, ["s"]]);
  act(() => desk().useMark(MARK, [signature]));
  expect([desk().markOf(signature), ...pages.map((page) => desk().markOf(page))]).toEqual([
    MARK,
    INITIALS,
    INITIALS,
    INITIALS,
  ]);
  await act(async () => desk().sign());
  expect(sent[0]?.body).toMatchObject({ signature: MARK.mark, initials: INITIALS.mark });
});

it("signs with initials alone", async () => {
  const { desk, sent } = openDesk(pages);
  act(() => desk().useMark(INITIALS, pages));
  await act(async () => desk().sign());
  expect(sent[0]?.body).toMatchObject({ signature: INITIALS.mark });
  expect(sent[0]?.body).not.toHaveProperty("initials");
});

it("makes refused initials again while the signature stays", async () => {
  const { desk } = openDesk([...pages, signature], [refusal("initials")]);
  act(() => {
    desk().useMark(INITIALS, pages);
    desk().useMark(MARK, [signature]);
  });
  await act(async () => desk().sign());
  expect(desk().phase).toMatchObject({
    needsMark: "initials",
    message:
      "Un trait sort de la zone de dessin. Effacez, puis dessinez votre paraphe de nouveau. Vos réponses sont gardées.",
  });
  expect(desk().markOf(signature)).toEqual(MARK);
});

it("sends optional initials left out as blank", async () => {
  const optional = field("o", { required: false });
  const { desk, sent } = openDesk([pages[0] as SigningField, optional, signature]);
  act(() => desk().useMark(MARK, [pages[0] as SigningField, signature]));
  await act(async () => desk().sign());
  expect(sent[0]?.body).toMatchObject({ fields: [{ id: "o", value: "Non" }] });
});

it("shows how many initials are left, « Appliquer partout », then the result and « Annuler »", async () => {
  const { desk } = openDesk([...pages, signature]);
  const apply = vi.fn();
  const bar = render(<InitialsBar desk={desk()} onApply={apply} />);
  expect(bar.container.textContent).toBe("3 paraphes à poserAppliquer partout");
  await userEvent.click(screen.getByRole("button", { name: "Appliquer partout" }));
  expect(apply).toHaveBeenCalledOnce();
  act(() => desk().useMark(MARK, pages));
  bar.rerender(<InitialsBar desk={desk()} onApply={apply} />);
  expect(bar.container.textContent).toBe(" Paraphe posé à 3 endroitsAnnuler");
  await userEvent.click(screen.getByRole("button", { name: "Annuler" }));
  expect(desk().marked.size).toBe(0);
});

it("shows no bar for initials in one place", () => {
  const { desk } = openDesk([pages[0] as SigningField, signature]);
  const bar = render(<InitialsBar desk={desk()} onApply={() => undefined} />);
  expect(bar.container.textContent).toBe("");
});

it("offers the remaining places once, after the first initials", async () => {
  const { desk } = openDesk([...pages, signature]);
  act(() => desk().useMark(MARK, [pages[0] as SigningField]));
  const [onApply, onClose] = [vi.fn(), vi.fn()];
  render(
    <ApplyInitialsDialog
      left={initialsLeft(desk().own, desk().answers)}
      onApply={onApply}
      onClose={onClose}
    />,
  );
  expect(
    screen.getByRole("dialog", { name: "Appliquer ce paraphe aux 2 pages restantes\u202f?" }),
  ).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Seulement ici" }));
  expect([onApply.mock.calls.length, onClose.mock.calls.length]).toEqual([0, 1]);
  await userEvent.click(screen.getByRole("button", { name: "Appliquer partout" }));
  expect([onApply.mock.calls.length, onClose.mock.calls.length]).toEqual([1, 2]);
});

it("gives a person's initials as written at the foot of a page", () => {
  expect(initialsOf("Camille Roux")).toBe("C.\u00a0R.");
  expect(initialsOf(" Élodie  de La Tour ")).toBe("É.\u00a0D.\u00a0L.\u00a0T.");
  expect(initialsOf("Jean-Paul N'Guessan")).toBe("J.-P.\u00a0N.");
  expect(initialsOf("")).toBe("");
});
