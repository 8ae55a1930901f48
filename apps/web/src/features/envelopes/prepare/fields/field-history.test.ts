import { describe, expect, it } from "vitest";
import { draftOf } from "../draft/draft.ts";
import { makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import {
  EMPTY_HISTORY,
  fieldsForPresent,
  recordChange,
  redoChange,
  undoChange,
} from "./use-field-editor.ts";

const [field] = draftOf(
  makeEnvelope({ recipients: [makeRecipient()], fields: [makeField()] }),
).fields;
if (!field) throw new Error("no field");
const at = (x: number) => [{ ...field, x }];
const change = (before: number, now: number, mergeKey: string | null = null) => ({
  before: at(before),
  label: "déplacement",
  mergeKey,
  now,
});

describe("changes of fields", () => {
  it("changes are undone and redone one by one", () => {
    const history = recordChange(recordChange(EMPTY_HISTORY, change(0.1, 0)), change(0.2, 1));
    const once = undoChange(history, at(0.3));
    expect(once?.fields[0]?.x).toBe(0.2);
    const twice = once && undoChange(once.history, once.fields);
    expect(twice?.fields[0]?.x).toBe(0.1);
    expect(twice && undoChange(twice.history, twice.fields)).toBeNull();
    const again = twice && redoChange(twice.history, twice.fields);
    expect(again?.fields[0]?.x).toBe(0.2);
    const last = again && redoChange(again.history, again.fields);
    expect([last?.fields[0]?.x, last?.label]).toEqual([0.3, "déplacement"]);
    expect(last && redoChange(last.history, last.fields)).toBeNull();
  });

  it("an undone change cannot be redone after another change", () => {
    const undone = undoChange(recordChange(EMPTY_HISTORY, change(0.1, 0)), at(0.2));
    const elsewhere = undone && recordChange(undone.history, change(0.1, 1));
    expect(elsewhere && redoChange(elsewhere, at(0.5))).toBeNull();
  });

  it("changes in quick succession under one key are one step", () => {
    let history = EMPTY_HISTORY;
    for (let press = 0; press < 30; press += 1)
      history = recordChange(history, change(press / 100, press * 50, "move:f1"));
    expect(history.past).toHaveLength(1);
    expect(undoChange(history, at(0.3))?.fields[0]?.x).toBe(0);
    expect(recordChange(history, change(0.3, 9_000, "move:f1")).past).toHaveLength(2);
    expect(recordChange(history, change(0.3, 1_500, "move:f2")).past).toHaveLength(2);
  });

  it("the history keeps a hundred steps", () => {
    let history = EMPTY_HISTORY;
    for (let step = 0; step < 150; step += 1)
      history = recordChange(history, change(step / 1_000, step));
    expect(history.past).toHaveLength(100);
  });

  it("undone fields get their present ids, without those of a missing document or recipient", () => {
    const earlier = [
      { ...field, key: "kept", id: "old" },
      { ...field, key: "removed", id: "f9" },
      { ...field, key: "other", documentId: "d9" },
      { ...field, key: "left", recipientKey: "r9" },
    ];
    const present = {
      fields: [{ ...field, key: "kept", id: "new" }],
      documentIds: ["d1"],
      recipientKeys: ["r1"],
    };
    expect(fieldsForPresent(earlier, present).map(({ key, id }) => [key, id])).toEqual([
      ["kept", "new"],
      ["removed", undefined],
    ]);
  });
});
