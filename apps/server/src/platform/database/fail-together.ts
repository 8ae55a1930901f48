import type pg from "pg";
import { PreparingClient } from "./preparing-client.ts";

/**
 * Fails those who wait for a connection along with one whose server fell silent: they would wait as
 * long again.
 */
export function failTogether(pool: pg.Pool): void {
  const waiting = new Set<() => void>();
  const connect = pool.connect.bind(pool);
  const connectUnlessSilent = async () => {
    const silence = Promise.withResolvers<never>();
    let hasFailed = false;
    const fail = () => {
      hasFailed = true;
      silence.reject(new Error("Connection terminated: the database server fell silent"));
    };
    waiting.add(fail);
    const given = connect().finally(() => waiting.delete(fail));
    given.then((client) => hasFailed && client.release()).catch(() => {});
    return Promise.race([given, silence.promise]);
  };
  // With a callback the call is the pool's own, for one statement.
  pool.connect = ((...callback: Parameters<typeof connect>) =>
    callback.length > 0 ? connect(...callback) : connectUnlessSilent()) as typeof pool.connect;
  pool.on("connect", (client) => {
    client.once("error", () => {
      if (client instanceof PreparingClient && client.isSilent())
        for (const fail of waiting) fail();
    });
  });
}
