package io.sluice.memory.conf;

import io.sluice.node.conf.Setting;
import java.util.List;
import java.util.OptionalInt;

/** What may be set of the memory that a process of its own takes for map outputs and files. */
public final class MemorySettings {
  private static final String DEFAULT_DIRECTORY = "/dev/shm";

  /** The store's memory. */
  public static final Setting<OptionalInt> MEMORY_MB =
      Setting.optionalInteger(
          "sluice.local.memory-mb",
          "a quarter of the machine's memory, and at most half of what is free in sluice.local.dir",
          0,
          1 << 20,
          "Most memory for map outputs and files of the process, in MiB. It is taken as it is"
              + " needed, and kept for further jobs. Whatever of the process needs it first decides.");

  /** Where that memory lies. */
  public static final Setting<String> DIRECTORY =
      new Setting<>(
          "sluice.local.dir",
          DEFAULT_DIRECTORY,
          "A file system in memory. What has no room there goes to hadoop.tmp.dir, and everything"
              + " where it cannot be used. Whatever of the process needs it first decides.",
          text -> text == null ? DEFAULT_DIRECTORY : text);

  /** Where files are copied to. */
  public static final Setting<String> WRITE_BEHIND =
      Setting.text(
          "sluice.local.write-behind",
          "",
          "nowhere",
          "A directory of another file system, such as file:///data, to which files of sluice: are copied in the background"
              + " once they are closed, and where renames and deletions follow. Whoever closes the"
              + " file system, and the end of the process, waits for it. Whatever of the process"
              + " needs a namespace first decides.");

  private MemorySettings() {}

  /** All of them, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return List.of(MEMORY_MB, DIRECTORY, WRITE_BEHIND);
  }
}
