package io.sluice.local.history;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapreduce.jobhistory.Event;
import org.apache.hadoop.mapreduce.jobhistory.HistoryEvent;
import org.apache.hadoop.mapreduce.util.MRJobConfUtil;
import org.apache.hadoop.mapreduce.v2.jobhistory.FileNameIndexUtils;
import org.apache.hadoop.mapreduce.v2.jobhistory.JHAdminConfig;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobHistoryUtils;
import org.apache.hadoop.mapreduce.v2.jobhistory.JobIndexInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of one job's events. A thread of its own writes the events in their order, so that the
 * job does not wait for a slow file system. At the end the file goes to the history server's
 * directory. Without settings for a history server nothing is written.
 *
 * <p>Thread contract: safe from any thread. Ownership: the job calls {@link #end} or {@link #drop},
 * which end the thread. Failure: a warning, and the job goes on without a history.
 */
final class HistoryFile {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryFile.class);

  private final JobConf conf;
  private final JobID id;
  private final Path events;
  private final ExecutorService writer;
  private final int mostEndS;
  private volatile boolean isWritten;
  private HistoryDirectories directories; // the writer's; null if there is no history
  private EventFile file; // the writer's

  /**
   * Writes nothing yet.
   *
   * @param submitDirectory for the file until the job ends
   * @param threads of the job's user
   * @param mostEndS seconds that the job's end waits for the writer
   */
  HistoryFile(JobConf conf, JobID id, Path submitDirectory, ThreadFactory threads, int mostEndS) {
    this.conf = conf;
    this.id = id;
    this.events = new Path(submitDirectory, id + ".jhist");
    this.writer = Executors.newSingleThreadExecutor(threads);
    this.mostEndS = mostEndS;
  }

  /** Opens the file if the job's settings name a history server; returns whether they do. */
  boolean begin() {
    isWritten = HistoryDirectories.isSet(conf);
    if (isWritten) {
      writer.execute(this::open);
    }
    return isWritten;
  }

  boolean isWritten() {
    return isWritten;
  }

  private void open() {
    try {
      directories = new HistoryDirectories(conf);
      FileSystem files = events.getFileSystem(conf);
      file = new EventFile(files.create(events, true), isBinary());
    } catch (IOException | RuntimeException | LinkageError e) {
      giveUp(e);
    }
  }

  private boolean isBinary() {
    return conf.get(JHAdminConfig.MR_HS_JHIST_FORMAT, JHAdminConfig.DEFAULT_MR_HS_JHIST_FORMAT)
        .equals("binary");
  }

  private void giveUp(Throwable why) {
    LOG.warn("{} runs on without a job history", id, why);
    directories = null;
  }

  /** Writes an event, which the writer's thread makes. */
  void write(Supplier<HistoryEvent> event) {
    if (!isWritten) {
      return;
    }
    try {
      writer.execute(() -> writeNow(event));
    } catch (RejectedExecutionException e) {
      LOG.debug("{}: an attempt has ended after its job", id, e);
    }
  }

  private void writeNow(Supplier<HistoryEvent> event) {
    if (directories == null) {
      return;
    }
    try {
      file.write(event.get());
    } catch (IOException | RuntimeException | LinkageError e) {
      giveUp(e);
    }
  }

  /** Ends without a history. */
  void drop() {
    writer.shutdown();
  }

  /**
   * Closes the file and copies it to the history server's directory. Returns when that is done, or
   * after the time limit.
   *
   * @param job makes the job's entry in the server's index
   * @param summary makes the text of the job's summary file
   */
  void end(Supplier<JobIndexInfo> job, Function<JobIndexInfo, String> summary) {
    writer.execute(
        () -> {
          close();
          handOver(job, summary);
        });
    writer.shutdown();
    awaitWriter();
  }

  private void awaitWriter() {
    try {
      for (int s = 0; s < mostEndS; s++) { // counts seconds, so a stopped process waits on
        if (writer.awaitTermination(1, TimeUnit.SECONDS)) {
          return;
        }
      }
      LOG.warn(
          "{} has no job history: writing it took over {} s after the job's end", id, mostEndS);
      writer.shutdownNow();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the job ends now, and the writer goes on
    }
  }

  private void close() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      giveUp(e);
    }
    file = null;
  }

  private void handOver(Supplier<JobIndexInfo> job, Function<JobIndexInfo, String> summary) {
    if (directories == null) {
      return;
    }
    try {
      JobIndexInfo index = job.get();
      directories.put(index, events, summary.apply(index));
    } catch (IOException | RuntimeException e) {
      giveUp(e);
    }
  }

  /**
   * Writes events in the format of stock's EventWriter: the version, the schema, and a line of JSON
   * for each event, or binary data. EventWriter itself is visible to its package only, and a class
   * of Sluice may have another class loader than Hadoop, so that it could not join that package.
   *
   * <p>Thread contract: one thread at a time. Ownership: owns the stream.
   */
  private static final class EventFile implements Closeable {
    private static final String TEXT = "Avro-Json";
    private static final String BINARY = "Avro-Binary";

    private final DatumWriter<Event> writer = new SpecificDatumWriter<>(Event.class);
    private final FSDataOutputStream out;
    private final boolean isBinary;
    private final Encoder encoder;

    EventFile(FSDataOutputStream out, boolean isBinary) throws IOException {
      this.out = out;
      this.isBinary = isBinary;
      out.writeBytes((isBinary ? BINARY : TEXT) + "\n" + Event.getClassSchema() + "\n");
      this.encoder =
          isBinary
              ? EncoderFactory.get().binaryEncoder(out, null)
              : EncoderFactory.get().jsonEncoder(Event.getClassSchema(), out);
    }

    void write(HistoryEvent event) throws IOException {
      Event wrapper = new Event();
      wrapper.setType(event.getEventType());
      wrapper.setEvent(event.getDatum());
      writer.write(wrapper, encoder);
      if (!isBinary) {
        encoder.flush();
        out.writeBytes("\n");
      }
    }

    @Override
    public void close() throws IOException {
      try (out) {
        encoder.flush();
      }
    }
  }

  /**
   * The directories in which the history server looks for ended jobs, and the files that it
   * expects.
   */
  static final class HistoryDirectories {
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
      this.permission =
          JobHistoryUtils.getConfiguredHistoryIntermediateUserDoneDirPermissions(conf);
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
}
