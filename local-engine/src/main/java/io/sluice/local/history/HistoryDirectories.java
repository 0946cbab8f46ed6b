package io.sluice.local.history;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.mapreduce.util.MRJobConfUtil;
import org.apache.hadoop.mapreduce.v2.jobhistory.FileNameIndexUtils;
import org.apache.hadoop.mapreduce.v2.jobhistory.JHAdminConfig;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobHistoryUtils;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobIndexInfo;

/**
 * The directories in which the history server looks for ended jobs, and the files that it expects.
 */
final class HistoryDirectories {
  private static final String TEMPORARY = "_tmp";
  private static final String DEFAULTS = "mapred-default.xml";
  private static final String SUBMITTED = "job.xml";

  private final Configuration conf;
  private final FileSystem files;
  private final Path directory;
  private final FsPermission permission;

  /** Makes the directory of the current user if it is missing. */
  HistoryDirectories(Configuration conf) throws IOException {
    this.conf = conf;
    this.permission = JobHistoryUtils.getConfiguredHistoryIntermediateUserDoneDirPermissions(conf);
    Path base = new Path(JobHistoryUtils.getConfiguredHistoryIntermediateDoneDirPrefix(conf));
    this.files = base.getFileSystem(conf);
    make(
        base,
        new FsPermission(JobHistoryUtils.HISTORY_INTERMEDIATE_DONE_DIR_PERMISSIONS.toShort()));
    this.directory =
        files.makeQualified(new Path(JobHistoryUtils.getHistoryIntermediateDoneDirForUser(conf)));
    make(directory, permission);
  }

  private void make(Path path, FsPermission permission) throws IOException {
    if (!files.exists(path)) {
      files.mkdirs(path);
      files.setPermission(path, permission); // mkdirs applies the umask
    }
  }

  /** Whether the settings name a history server or its directory. */
  static boolean isSet(Configuration conf) {
    return isSet(conf, JHAdminConfig.MR_HISTORY_INTERMEDIATE_DONE_DIR)
        || isSet(conf, JHAdminConfig.MR_HISTORY_ADDRESS);
  }

  private static boolean isSet(Configuration conf, String key) {
    String[] sources = conf.getPropertySources(key);
    return sources != null
        && Arrays.stream(sources)
            .anyMatch(source -> !source.endsWith(DEFAULTS) && !source.endsWith(SUBMITTED));
  }

  /** Writes the files of a job. The events come last, because the server looks for them. */
  void put(JobIndexInfo job, Path events, String summary) throws IOException {
    Path summaryFile = temporary(JobHistoryUtils.getIntermediateSummaryFileName(job.getJobId()));
    try (FSDataOutputStream out = files.create(summaryFile, true)) {
      out.writeUTF(summary);
    }
    Path confFile = temporary(JobHistoryUtils.getIntermediateConfFileName(job.getJobId()));
    Configuration redacted = new Configuration(conf);
    MRJobConfUtil.redact(redacted);
    try (OutputStream out = files.create(confFile, true)) {
      redacted.writeXml(out);
    }
    int nameLimit =
        conf.getInt(JHAdminConfig.MR_HS_JOBNAME_LIMIT, JHAdminConfig.DEFAULT_MR_HS_JOBNAME_LIMIT);
    Path eventFile = temporary(FileNameIndexUtils.getDoneFileName(job, nameLimit));
    FileUtil.copy(events.getFileSystem(conf), events, files, eventFile, false, true, conf);
    finish(summaryFile);
    finish(confFile);
    finish(eventFile);
  }

  private Path temporary(String name) {
    return new Path(directory, name + TEMPORARY);
  }

  private void finish(Path temporary) throws IOException {
    files.setPermission(temporary, permission);
    String name = temporary.getName();
    Path done =
        new Path(temporary.getParent(), name.substring(0, name.length() - TEMPORARY.length()));
    if (!files.rename(temporary, done)) {
      throw new IOException(temporary + " cannot be renamed to " + done);
    }
  }
}
