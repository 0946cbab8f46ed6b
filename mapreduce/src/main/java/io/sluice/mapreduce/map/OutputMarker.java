package io.sluice.mapreduce.map;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.mapred.MapOutputFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An empty file at the path of stock's map output. When a map ends, stock's task code asks for the
 * size of that file. Nobody uses the size, but a missing file is logged with a stack trace.
 *
 * <p>It can never pass for a map output, because a ShuffleHandler first reads the index beside it,
 * which is missing. It is no sparse file of the output's length, because a job's limit for local
 * files counts lengths.
 */
public final class OutputMarker {
  private static final Logger LOG = LoggerFactory.getLogger(OutputMarker.class);

  private OutputMarker() {}

  /** Writes the file. If that fails only the warning appears; the output is complete. */
  public static void leave(MapOutputFile files) {
    try {
      Path file = Path.of(files.getOutputFileForWrite(0).toUri().getPath());
      Files.write(file, new byte[0]);
    } catch (IOException e) {
      LOG.info(
          "The empty marker file of a map output could not be written ({}). Hadoop"
              + " will warn that it finds no output file; the output lies in Sluice's pool",
          e.toString());
    }
  }
}
