/** Records of a fixed length without any meaning: what sorts and exchanges are measured with. */
package io.sluice.workloads.record;
