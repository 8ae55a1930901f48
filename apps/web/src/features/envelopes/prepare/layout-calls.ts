import type { Layout, Layouts, SaveLayoutRequest } from "@paraphe/contracts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

const LAYOUTS = "/api/signature/layouts/";

/** The calls of one's layouts. */
export const layoutCalls = {
  list: () => api.get<Layouts>(LAYOUTS),
  save: (body: SaveLayoutRequest) => api.post<Layout>(LAYOUTS, { body }),
  remove: (id: string) => api.delete<void>(`${LAYOUTS}${id}/`),
};

export const layoutsQuery = queryOptions({ queryKey: ["layouts"], queryFn: layoutCalls.list });
