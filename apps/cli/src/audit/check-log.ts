import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Checkpoint, checkpointSchema } from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import { createTree, type TreeNode } from "@paraphe/proof";
import { sql } from "kysely";
import {
  EVENT_TIME,
  type EventFault,
  eventFault,
  leafOf,
  type StoredEvent,
} from "../../../server/src/features/journal/public.ts";
import {
  type AuditNotes,
  type AuditOutcome,
  auditOutcome,
  type AuditPlatform,
  type StatedFault,
} from "./audit-fault.ts";

const BATCH = 2_000;
const NOBODY = "00000000-0000-0000-0000-000000000000";

const WORDS: Readonly<Record<EventFault, string>> = {
  gap: "un événement manque avant celui-ci",
  previous_hash: "il ne suit pas l’événement qui le précède (déplacé, ou le précédent a changé)",
  hash: "son contenu n’est pas celui qui a été enregistré",
  commitment: "une donnée personnelle n’est pas celle qui a été enregistrée",
};

type Row = StoredEvent & { readonly envelopeId: string; readonly leafHead: Uint8Array | null };
type Place = {
  readonly envelopeId: string;
  readonly sequence: number;
  readonly hash: Uint8Array | null;
  readonly isInLog: boolean;
};
const START: Place = { envelopeId: NOBODY, sequence: 0, hash: null, isInLog: true };

/**
 * Numbers are dense, hashes chained, values match their commitments, and each event is in the log
 * or due to it.
 */
export function checkJournals({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome("Événements des journaux", async (notes) => {
    for (let last = START; ; ) {
      const rows = await readAfter(db, last);
      const ends: Place[] = [];
      for (const row of rows) {
        if (row.envelopeId !== last.envelopeId) ends.push(last);
        last = checkEvent(row, last, notes);
      }
      const isEnd = rows.length < BATCH;
      await checkEnds(db, isEnd ? [...ends, last] : ends, notes);
      notes.checked(rows.length);
      if (isEnd) return;
    }
  });
}

function checkEvent(row: Row, last: Place, { fault }: AuditNotes): Place {
  const { envelopeId, sequence, hash, leafHead } = row;
  const before = envelopeId === last.envelopeId ? last : { sequence: 0, hash: null };
  const found = eventFault(row, {
    envelopeId,
    sequence: before.sequence + 1,
    previous: before.hash,
  });
  if (found !== null) fault(nameOf(row), WORDS[found]);
  if (leafHead !== null && Buffer.compare(leafHead, hash) !== 0)
    fault(nameOf(row), "son empreinte n’est pas celle que le journal de transparence a reçue");
  return { envelopeId, sequence, hash, isInLog: leafHead !== null };
}

/**
 * The last event's transaction adds its leaf or makes it due. While the service runs, the leaf may
 * be newer, or of a later event, which `checkHeads` verifies.
 */
async function checkEnds(
  db: AuditPlatform["db"],
  ends: readonly Place[],
  { fault }: AuditNotes,
): Promise<void> {
  const out = ends.flatMap(({ envelopeId, sequence, hash, isInLog }) =>
    isInLog || hash === null ? [] : [{ envelopeId, sequence, hash: Buffer.from(hash) }],
  );
  if (out.length === 0) return;
  const { rows } = await sql<Pick<Place, "envelopeId" | "sequence">>`
    select e.envelope_id as "envelopeId", e.sequence from unnest(
      ${sql.val(out.map(({ envelopeId }) => envelopeId))}::uuid[], ${sql.val(out.map(({ sequence }) => sequence))}::int[],
      ${sql.val(out.map(({ hash }) => hash))}::bytea[]) as e (envelope_id, sequence, hash)
    where not exists (select from transparency_due w where w.envelope_id = e.envelope_id and w.sequence = e.sequence and w.head = e.hash)
      and not exists (select from transparency_leaves l where l.envelope_id = e.envelope_id and l.sequence >= e.sequence)`.execute(
    db,
  );
  for (const row of rows)
    fault(
      nameOf(row),
      "le journal de transparence n’a pas reçu cet événement, le dernier de son historique",
    );
}

function nameOf({ envelopeId, sequence }: Pick<Place, "envelopeId" | "sequence">): string {
  return `enveloppe ${envelopeId}, événement ${sequence}`;
}

/** A join would read the whole other table for each page. */
async function readAfter(
  db: AuditPlatform["db"],
  { envelopeId, sequence }: Place,
): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select e.envelope_id as "envelopeId", e.sequence, e.actor, e.action, e.detail, e.hash, e.previous_hash as "previousHash", ${EVENT_TIME},
      (select l.head from transparency_leaves l where l.envelope_id = e.envelope_id and l.sequence = e.sequence) as "leafHead",
      coalesce((
        select jsonb_object_agg(d.name, jsonb_build_object('value', d.value, 'salt', encode(d.salt, 'hex')))
        from audit_details d where d.envelope_id = e.envelope_id and d.sequence = e.sequence
      ), '{}') as personal
    from (
      select envelope_id, sequence, at, actor, action, detail, hash, previous_hash from audit_events
      where envelope_id >= ${envelopeId}::uuid and (envelope_id, sequence) > (${envelopeId}::uuid, ${sequence}::int) order by envelope_id, sequence limit ${BATCH}
    ) e order by e.envelope_id, e.sequence`.execute(db);
  return rows;
}

/** A journal cut short or removed leaves its heads in the log. */
export function checkHeads({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome("Têtes reçues par le journal de transparence", async ({ checked, fault }) => {
    const { rows: counted } = await sql<{ count: number }>`
      select (select count(*) from transparency_leaves) + (select count(*) from transparency_due) as count`.execute(
      db,
    );
    checked(counted[0]?.count ?? 0);
    for (let after = { envelopeId: NOBODY, sequence: 0 }; ; ) {
      const { rows } = await sql<{ envelopeId: string; sequence: number }>`
        select envelope_id as "envelopeId", sequence from (
          select envelope_id, sequence, head from transparency_leaves union all select envelope_id, sequence, head from transparency_due
        ) l where (envelope_id, sequence) > (${after.envelopeId}::uuid, ${after.sequence}::int)
          and not exists (select from audit_events e where e.envelope_id = l.envelope_id and e.sequence = l.sequence and e.hash = l.head)
        order by envelope_id, sequence limit ${BATCH}`.execute(db);
      for (const { envelopeId, sequence } of rows)
        fault(
          nameOf({ envelopeId, sequence }),
          "le journal de transparence l’a reçu\u202f; il n’est plus là, ou a changé",
        );
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = last;
    }
  });
}

type CheckpointCopy = { readonly name: string; readonly checkpoint: Checkpoint | null };

/** Finds them by the names they have in folders, mails and object stores. */
async function readCopies(folder: string): Promise<readonly CheckpointCopy[]> {
  const names = (await readdir(folder))
    .filter((name) => /^checkpoint-\d+(-[0-9a-f]{16})?\.json$/.test(name))
    .toSorted();
  const copies: CheckpointCopy[] = [];
  for (const name of names)
    copies.push({ name, checkpoint: readCheckpoint(await readFile(join(folder, name), "utf8")) });
  return copies;
}

function readCheckpoint(text: string): Checkpoint | null {
  try {
    return checkpointSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

type LeafRow = {
  readonly leafIndex: number;
  readonly envelope_id: string;
  readonly sequence: number;
  readonly head: string;
};
type StoredCheckpoint = Checkpoint & { readonly number: number };
type Walk = {
  readonly platform: AuditPlatform;
  readonly notes: AuditNotes;
  readonly statedFault: StatedFault;
};

/** `copies`: folder of outside copies, or null. */
type LogChecks = { readonly statedFault: StatedFault; readonly copies: string | null };

/** Rebuilds the log from its leaves; compares nodes, checkpoints and outside copies. */
export async function checkLog(
  platform: AuditPlatform,
  { statedFault, copies }: LogChecks,
): Promise<readonly AuditOutcome[]> {
  // Read before the rows, so that each copy's checkpoint is there.
  const copied = copies === null ? [] : await readCopies(copies);
  const wanted = new Map(copied.map((copy) => [copy.checkpoint?.size ?? -1, new Uint8Array()]));
  const outcomes = [
    await auditOutcome("Feuilles et nœuds du journal de transparence", (notes) =>
      walkTree({ platform, notes, statedFault }, wanted),
    ),
    await auditOutcome("Points de contrôle signés et horodatés", (notes) =>
      walkCheckpoints({ platform, notes, statedFault }),
    ),
  ];
  if (copies !== null) {
    outcomes.push(
      await auditOutcome("Copies des points de contrôle", (notes) =>
        walkCopies({ platform, notes, statedFault }, { copied, wanted }),
      ),
    );
  }
  return outcomes;
}

/** Reads leaves in order; fills in the roots of the sizes asked for. */
async function walkTree(
  { platform: { db }, notes }: Walk,
  wanted: Map<number, Uint8Array>,
): Promise<void> {
  const tree = createTree();
  let nodeCount = 0;
  const checkpoints = checkpointsOf(db);
  let next = await checkpoints.next();
  for (;;) {
    const { rows } = await sql<LeafRow>`
      select leaf_index as "leafIndex", envelope_id, sequence, encode(head, 'hex') as head from transparency_leaves
      where leaf_index >= ${tree.size} order by leaf_index limit ${BATCH}`.execute(db);
    const made: TreeNode[] = [];
    for (const { leafIndex, ...entry } of rows) {
      if (leafIndex !== tree.size)
        return notes.fault(
          `feuille ${tree.size}`,
          "elle manque\u202f: ce qui suit n’a pas pu être contrôlé",
        );
      made.push(...tree.append(leafOf(entry)).slice(1));
      if (wanted.has(tree.size)) wanted.set(tree.size, tree.root());
      while (!next.done && next.value.size === tree.size) {
        if (next.value.root !== toHex(tree.root()))
          notes.fault(
            `point de contrôle ${tree.size}`,
            "sa racine n’est pas celle de ses feuilles",
          );
        next = await checkpoints.next();
      }
    }
    notes.checked(rows.length + made.length);
    nodeCount += made.length;
    await compareNodes({ db, notes }, made);
    if (rows.length < BATCH) break;
  }
  if (!next.done)
    notes.fault(
      `point de contrôle ${next.value.size}`,
      `le journal n’a plus que ${tree.size} feuilles`,
    );
  // Finds nodes without leaf, or of newer leaves of a running service.
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from transparency_nodes where (index + 1) * (1::bigint << level::int) <= ${tree.size}
      or (index + 1) * (1::bigint << level::int) > (select coalesce(max(leaf_index) + 1, 0) from transparency_leaves)`.execute(
    db,
  );
  if (rows[0]?.count !== nodeCount)
    notes.fault("nœuds", `${rows[0]?.count ?? 0} enregistrés, ${nodeCount} attendus`);
}

async function compareNodes(
  { db, notes }: { readonly db: AuditPlatform["db"]; readonly notes: AuditNotes },
  made: readonly TreeNode[],
): Promise<void> {
  const { rows } = await sql<{ level: number; index: number }>`
    select asked.level, asked.index from unnest(
      ${sql.val(made.map(({ level }) => level))}::int[], ${sql.val(made.map(({ index }) => index))}::bigint[],
      ${sql.val(made.map(({ hash }) => Buffer.from(hash)))}::bytea[]) as asked (level, index, hash)
    where not exists (select from transparency_nodes n where n.level = asked.level and n.index = asked.index and n.hash = asked.hash)`.execute(
    db,
  );
  for (const { level, index } of rows)
    notes.fault(`nœud ${level}:${index}`, "il manque ou n’est pas celui de ses feuilles");
}

async function* checkpointsOf(db: AuditPlatform["db"]): AsyncGenerator<StoredCheckpoint, void> {
  for (let after = 0; ; ) {
    const { rows } = await sql<StoredCheckpoint>`
      select number, size, encode(root, 'hex') as root, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, key_id, signature,
        replace(encode(timestamp_der, 'base64'), E'\n', '') as timestamp
      from transparency_checkpoints where size > ${after} order by size limit ${BATCH}`.execute(db);
    yield* rows;
    if (rows.length < BATCH) return;
    after = rows.at(-1)?.size ?? after;
  }
}

async function walkCheckpoints({ platform, notes, statedFault }: Walk): Promise<void> {
  const copied = await farthestCopy(platform.db);
  let previous: StoredCheckpoint | null = null;
  for await (const checkpoint of checkpointsOf(platform.db)) {
    notes.checked();
    const subject = `point de contrôle ${checkpoint.size}`;
    if (checkpoint.number !== (previous?.number ?? 0) + 1)
      notes.fault(subject, "un point de contrôle manque avant celui-ci");
    const fault = await statedFault(
      checkpoint,
      previous === null ? null : { size: previous.size, root: previous.root },
    );
    if (fault !== null) notes.fault(subject, fault);
    previous = checkpoint;
  }
  if (copied > (previous?.size ?? 0))
    notes.fault(`point de contrôle ${copied}`, "il a été copié à l’extérieur, et n’est plus là");
}

async function farthestCopy(db: AuditPlatform["db"]): Promise<number> {
  const { rows } = await sql<{
    size: number;
  }>`select coalesce(max(size), 0) as size from transparency_copies`.execute(db);
  return rows[0]?.size ?? 0;
}

async function isThere(db: AuditPlatform["db"], size: number): Promise<boolean> {
  const { rows } = await sql<{
    number: number;
  }>`select number from transparency_checkpoints where size = ${size}`.execute(db);
  return rows.length > 0;
}

type Copies = {
  readonly copied: readonly CheckpointCopy[];
  readonly wanted: ReadonlyMap<number, Uint8Array>;
};

/** The operator cannot rewrite copies, so the log must begin with each. */
async function walkCopies(
  { platform, notes, statedFault }: Walk,
  { copied, wanted }: Copies,
): Promise<void> {
  for (const { name, checkpoint } of copied) {
    notes.checked();
    if (checkpoint === null) {
      notes.fault(name, "ce fichier n’est pas un point de contrôle");
      continue;
    }
    const fault = await statedFault(checkpoint);
    const root = wanted.get(checkpoint.size);
    if (fault !== null) notes.fault(name, fault);
    else if (root === undefined || root.length === 0)
      notes.fault(name, "le journal n’a plus autant de feuilles que cette copie en atteste");
    else if (toHex(root) !== checkpoint.root)
      notes.fault(
        name,
        "le journal ne commence plus par ce que cette copie atteste\u202f: le passé a été réécrit",
      );
    else if (!(await isThere(platform.db, checkpoint.size)))
      notes.fault(name, "le point de contrôle dont c’est la copie n’est plus enregistré");
  }
}
