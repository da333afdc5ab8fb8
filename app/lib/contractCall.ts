/**
 * One call that changes a contract, checked against its ABI where it is written and carried without type parameters
 * from there.
 */
import type { Abi, Address, ContractFunctionArgs, ContractFunctionName } from "viem";

export interface ContractCall {
  address: Address;
  abi: Abi;
  functionName: string;
  args: readonly unknown[];
}

export function contractCall<const abi extends Abi, name extends ContractFunctionName<abi, "nonpayable">>(call: {
  address: Address;
  abi: abi;
  functionName: name;
  args: ContractFunctionArgs<abi, "nonpayable", name>;
}): ContractCall {
  return {
    address: call.address,
    abi: call.abi,
    functionName: call.functionName,
    args: call.args as readonly unknown[],
  };
}
