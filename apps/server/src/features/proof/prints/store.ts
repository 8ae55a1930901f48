import type { Reader, Transaction } from "../../../platform/database/database.ts";
import { type Holding, holdersOf } from "../../organisations/public.ts";

export type QrType = "page" | "last" | "certificate";
export type MadePrint = {
  readonly id: string;
  readonly envelopeId: string;
  readonly qrType: QrType;
  readonly keyId: string;
  readonly createdAt: Date;
};
export type PrintRow = MadePrint & { readonly ownerId: string };

const COLUMNS = ["id", "envelope_id", "owner_id", "qr_type", "key_id", "created_at"] as const;

export async function insertPrint(trx: Transaction, print: PrintRow): Promise<void> {
  await trx
    .insertInto("prints")
    .values({
      id: print.id,
      envelope_id: print.envelopeId,
      owner_id: print.ownerId,
      qr_type: print.qrType,
      key_id: print.keyId,
      created_at: print.createdAt,
    })
    .execute();
}

export async function findPrint(reader: Reader, id: string): Promise<PrintRow | null> {
  const row = await reader
    .selectFrom("prints")
    .select(COLUMNS)
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? null : readRow(row);
}

export type PrintPage = {
  readonly user: Holding;
  readonly envelopeId: string | null;
  readonly page: number;
  readonly pageSize: number;
};

export async function listPrintRows(
  reader: Reader,
  page: PrintPage,
): Promise<{ readonly count: number; readonly rows: readonly PrintRow[] }> {
  const own = reader
    .selectFrom("prints")
    .where((where) =>
      page.user.holder === undefined
        ? where("owner_id", "=", page.user.id)
        : where("envelope_id", "in", (eb) =>
            eb
              .selectFrom("envelopes")
              .select("id")
              .where("holder_id", "in", [...holdersOf(page.user)]),
          ),
    )
    .$if(page.envelopeId !== null, (query) =>
      query.where("envelope_id", "=", page.envelopeId as string),
    );
  const { count } = await own
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const rows = await own
    .select(COLUMNS)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(page.pageSize)
    .offset((page.page - 1) * page.pageSize)
    .execute();
  return { count: Number(count), rows: rows.map(readRow) };
}

function readRow(row: {
  id: string;
  envelope_id: string;
  owner_id: string;
  qr_type: string;
  key_id: string;
  created_at: Date;
}): PrintRow {
  return {
    id: row.id,
    envelopeId: row.envelope_id,
    ownerId: row.owner_id,
    qrType: row.qr_type as QrType,
    keyId: row.key_id,
    createdAt: row.created_at,
  };
}

/** A leaver's printed codes go to the same person as the envelopes. */
export async function passPrints(
  trx: Transaction,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await trx.updateTable("prints").set({ owner_id: to }).where("owner_id", "=", from).execute();
}
