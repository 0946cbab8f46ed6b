package io.sluice.memory.conf;

import io.sluice.node.conf.Setting;
import java.util.List;
import java.util.OptionalInt;

/** Settings of the memory in which a process keeps map outputs and files of {@code sluice:}. */
public final class MemorySettings {
  private static final String DEFAULT_DIRECTORY = "/dev/shm";

  /** Most memory of the store. */
  public static final Setting<OptionalInt> MEMORY_MB =
      Setting.optionalInteger(
          "sluice.local.memory-mb",
          "a quarter of the machine's memory, and at most half of what is free in sluice.local.dir",
          0,
          1 << 20,
          "Most memory for map outputs and files of the process, in MiB. The process takes it as"
              + " needed, and keeps it for further jobs. The first job or file of the process"
              + " fixes the value.");

  /** The directory in which the memory's files lie. */
  public static final Setting<String> DIRECTORY =
      new Setting<>(
          "sluice.local.dir",
          DEFAULT_DIRECTORY,
          "Directory on a file system in memory. Bytes that do not fit there go to"
              + " `hadoop.tmp.dir`, and all bytes if the directory cannot be used. The first job"
              + " or file of the process fixes the value.",
          text -> text == null ? DEFAULT_DIRECTORY : text);

  /** The directory to which files are copied. */
  public static final Setting<String> WRITE_BEHIND =
      Setting.text(
          "sluice.local.write-behind",
          "",
          "nowhere",
          "Directory of another file system, such as `file:///data`, to which closed files of"
              + " `sluice:` are copied in the background. Renames and deletions follow. Closing"
              + " the file system, and the end of the process, wait for the copies. The first use"
              + " of a namespace in the process fixes the value.");

  private MemorySettings() {}

  /** All settings, in the order of the documentation. */
  public static List<Setting<?>> all() {
    return List.of(MEMORY_MB, DIRECTORY, WRITE_BEHIND);
  }
}
