/** A configuration as the Ignition module takes it: the parameters have the names of ignition/modules/Ngpu.ts. */
import { zeroAddress } from "viem";
import type { Configuration } from "./configuration/configuration.ts";

type Value = string | number | bigint | boolean;

export function moduleParameters(configuration: Configuration): Record<string, Value> {
  const { external, vrf, roles, price, payment, demands, stake, nodeClasses, selection, faults } = configuration;
  const { allowSingleOperator: _, auditor, ...holders } = roles;
  const { minFeedAnswer, maxFeedAnswer, ...prices } = price;
  const classes = [nodeClasses.cpu, nodeClasses.gpu, nodeClasses.datacenterGpu].flatMap(
    ({ minimumPowerCu, minimumStakeWei }, classId) => [
      [`class${classId}MinimumPowerCu`, minimumPowerCu] as const,
      [`class${classId}MinimumStakeWei`, minimumStakeWei] as const,
    ],
  );
  return {
    paymentToken: external.paymentToken,
    stakeToken: external.stakeToken,
    priceFeed: external.priceFeed,
    sequencerFeed: external.sequencerFeed ?? zeroAddress,
    vrfCoordinator: external.vrfCoordinator,
    vrfKeyHash: vrf.keyHash,
    vrfSubscriptionId: vrf.subscriptionId,
    vrfRequestConfirmations: vrf.requestConfirmations,
    vrfCallbackGasLimit: vrf.callbackGasLimit,
    vrfNativePayment: vrf.nativePayment,
    minAnswer: minFeedAnswer,
    maxAnswer: maxFeedAnswer,
    ...holders,
    ...(auditor === undefined ? {} : { auditor }),
    ...prices,
    ...payment,
    ...demands,
    ...stake,
    ...Object.fromEntries(classes),
    ...selection,
    ...faults,
  };
}
