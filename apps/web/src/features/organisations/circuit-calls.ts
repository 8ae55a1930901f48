import type { Envelope } from "@paraphe/contracts";
import type { ChooseCircuitRequest, CircuitList, CircuitStep } from "@paraphe/contracts/circuit";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api/api.ts";

const BASE = "/api/organisation/circuits/";

export const circuitsQuery = queryOptions({
  queryKey: ["organisation", "circuits"],
  queryFn: ({ signal }) => api.get<CircuitList>(BASE, { signal }),
});

export type TypedCircuit = {
  readonly name: string;
  readonly use: "imposed" | "proposed" | "free";
  readonly kinds: readonly string[];
  readonly steps: readonly CircuitStep[];
};
export const addCircuit = (body: TypedCircuit) => api.post<CircuitList>(BASE, { body });
export const changeCircuit = (id: string, body: TypedCircuit & { readonly version: number }) =>
  api.put<CircuitList>(`${BASE}${id}/`, { body });
export const deleteCircuit = (id: string) => api.delete<CircuitList>(`${BASE}${id}/`);

export const chooseCircuit = (envelopeId: string, body: ChooseCircuitRequest) =>
  api.put<Envelope>(`/api/signature/envelopes/${envelopeId}/circuit/`, { body });
