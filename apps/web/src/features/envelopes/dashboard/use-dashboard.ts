import type { Dashboard } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "../../../lib/api.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import type { DayRange } from "../../../lib/day-range.ts";

export const DASHBOARD_FAILURE = "Échec du chargement du tableau de bord";

/** The whole dashboard in one call. */
export function useDashboard(range: DayRange) {
  const dashboard = useQuery({
    queryKey: ["dashboard", range],
    queryFn: ({ signal }) => api.get<Dashboard>("/api/signature/dashboard/", { query: range, signal }),
    placeholderData: keepPreviousData,
  });
  const { error } = dashboard;
  useEffect(() => {
    if (error) showToast("err", DASHBOARD_FAILURE);
  }, [error]);
  return dashboard;
}
