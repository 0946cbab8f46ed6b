package io.sluice.mapreduce.map;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.mapred.MapOutputFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The empty file where stock's map output would lie. When a map ends its task asks for the size of
 * that file, which nobody uses, and where there is none it warns with a stack trace.
 *
 * <p>It can never pass for a map output: the index beside it, which a ShuffleHandler reads first,
 * is missing. And it is empty rather than as long as the output with a hole in it, because a job's
 * limit of what it may leave on a disk counts lengths.
 */
public final class OutputMarker {
  private static final Logger LOG = LoggerFactory.getLogger(OutputMarker.class);

  private OutputMarker() {}

  /** Leaves it; without, there is the warning, but the output is none the worse for it. */
  public static void leave(MapOutputFile files) {
    try {
      Path file = Path.of(files.getOutputFileForWrite(0).toUri().getPath());
      Files.write(file, new byte[0]);
    } catch (IOException e) {
      LOG.info(
          "No local directory takes an empty file ({}); the task will find no size of its output,"
              + " which lies in Sluice's pool",
          e.toString());
    }
  }
}
