package io.sluice.hadoop.conf;

import io.sluice.node.conf.Setting;
import io.sluice.node.conf.TransportSetting;
import java.util.List;

/** What a job may set. */
public final class JobSettings {
  /** Transport of remote reads. */
  public static final Setting<String> TRANSPORT =
      TransportSetting.of(
          "sluice.transport",
          "Transport that reducers read remote map outputs with: the best that works on both nodes"
              + " (auto), or the one that is named, and tcp where a node does not offer that one. A"
              + " read that fails is tried once more over tcp.");

  /** Window memory of a reduce task. */
  public static final Setting<Integer> REDUCE_BUFFER_MB =
      Setting.integer(
          "sluice.reduce.buffer-mb",
          64,
          1,
          1024,
          "Off-heap memory of a reduce task for windows on remote map outputs, in MiB. It comes out"
              + " of the container beside the heap.");

  /** Deadline of each exchange with a node service. */
  public static final Setting<Integer> IO_TIMEOUT_MS =
      Setting.integer(
          "sluice.io.timeout-ms",
          30_000,
          100,
          600_000,
          "Deadline of one exchange with a node service: connect, request or read, in"
              + " milliseconds.");

  private JobSettings() {}

  /** All of them, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return List.of(TRANSPORT, REDUCE_BUFFER_MB, IO_TIMEOUT_MS);
  }
}
