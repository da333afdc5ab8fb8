/** What can execute the graphs, and what to install when it does not work: the runtime's own messages do not say. */
export const executionProviders = ["cpu", "cuda", "tensorrt", "webgpu", "dml", "coreml"] as const;
export type ExecutionProvider = (typeof executionProviders)[number];

const installLibraries = "ONNXRUNTIME_NODE_INSTALL=true node node_modules/onnxruntime-node/script/install.js";

export const providerNeeds: Readonly<Record<ExecutionProvider, string>> = {
  cpu: "nothing",
  cuda: `Linux on x64 with an NVIDIA driver, CUDA 12 and cuDNN 9 on LD_LIBRARY_PATH, then once: ${installLibraries}`,
  tensorrt: `Linux on x64 with an NVIDIA driver, CUDA 12, cuDNN 9 and TensorRT 10 on LD_LIBRARY_PATH, then once: ${installLibraries}`,
  webgpu: "a graphics driver with Vulkan (Linux), Direct3D 12 (Windows) or Metal (macOS)",
  dml: "Windows 10 or later with a Direct3D 12 driver",
  coreml: "macOS",
};
