package io.sluice.local.staging;

import io.sluice.hadoop.local.StagingFileSystem;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * Names of a submission's files. During the submission they belong to {@link StagingFileSystem},
 * later to {@code file:}.
 *
 * <p>Thread contract: stateless; settings have that of a configuration.
 */
public final class StagedPaths {
  private static final String LOCAL_FILES = "fs.file.impl";
  private static final String PREFIX = StagingFileSystem.SCHEME + ":";
  private static final String PLAIN_PREFIX = "file:";

  private StagedPaths() {}

  /**
   * The path to which a submission writes.
   *
   * @param local a path of {@code file:}
   * @return the given path if Hadoop does not find our file system, as with some class loaders, or
   *     if the user has set another file system for local files
   */
  public static Path staged(Path local, Configuration conf) {
    if (conf.get(LOCAL_FILES) != null || !isFound(conf)) {
      return local;
    }
    return new Path(StagingFileSystem.SCHEME, null, local.toUri().getPath());
  }

  /** Whether a path is staged. */
  public static boolean isStaged(String path) {
    return path.startsWith(PREFIX);
  }

  private static boolean isFound(Configuration conf) {
    try {
      return FileSystem.getFileSystemClass(StagingFileSystem.SCHEME, conf)
          == StagingFileSystem.class;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * A submission begins. If it fails the setting of the job's directory is restored.
   *
   * @param conf of the client; Hadoop changes it
   */
  public static void begin(JobID job, Configuration conf) {
    String before = conf.get(MRJobConfig.MAPREDUCE_JOB_DIR);
    StagingFileSystem.begun(
        job.toString(),
        () -> {
          if (before == null) {
            conf.unset(MRJobConfig.MAPREDUCE_JOB_DIR);
          } else {
            conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, before);
          }
        });
  }

  /** The submission has succeeded. */
  public static void end(JobID job, Configuration conf) {
    StagingFileSystem.submitted(job.toString());
    makePlain(conf);
  }

  /** Replaces staged names in the settings by plain ones. */
  public static void makePlain(Configuration conf) {
    for (Map.Entry<String, String> each : conf) {
      if (each.getValue().contains(PREFIX)) {
        conf.set(each.getKey(), plain(each.getValue()));
      }
    }
  }

  /** The plain form of a staged path. */
  public static String plain(String path) {
    return path.replace(PREFIX, PLAIN_PREFIX);
  }
}
