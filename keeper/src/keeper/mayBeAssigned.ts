/** Whether a task can be given to nodes now: posted, or assigned and not accepted in time, and before its deadline. */
import { limits } from "@ngpu/protocol/limits";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import type { OpenTask } from "./snapshot.ts";

export function mayBeAssigned({ status, assignment, assignedAtS, terms }: OpenTask, chainTimeS: number): boolean {
  if (chainTimeS >= terms.deadline) return false;
  if (status === taskStatus.posted) return true;
  const isLapsed = status === taskStatus.assigned && chainTimeS >= assignedAtS + limits.acceptWindowS;
  return isLapsed && assignment < limits.maxAssignments;
}
