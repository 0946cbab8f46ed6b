package io.sluice.local.cache;

import io.sluice.local.cache.CacheDownload.LocaleAdvice;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.threads.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.JobID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The symbolic links of one job in the working directory. On a cluster each task has a working
 * directory of its own; here all jobs of the process share one, and other processes may share it
 * too.
 *
 * <p>A name belongs to one job at a time, of this or another process; the next job waits until that
 * job has ended. Jobs of one process share a name if the content is the same; the link then leads
 * to the copy of a running job. A job that a task has started does not wait, because that task may
 * wait for it; it fails. A job takes its names in sorted order, so that two jobs never wait for
 * each other. A link of a dead process is replaced. If it cannot be determined whether the process
 * is alive, the job fails.
 *
 * <p>A file of the user is never replaced. Tasks read it if it has the same content; else the job
 * fails.
 *
 * <p>Thread contract: safe from any thread. Ownership: the job closes it before it deletes the
 * targets; the JVM's end removes remaining links. A link that has another target by then is not
 * removed. Failure: {@link IOException} that names the link and its owner. If the directory is not
 * writable a warning says so, and tasks find their files by the job's configuration only.
 */
final class WorkingLinks implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkingLinks.class);
  private static final long POLL_MS = 200;

  /** A job of this process that uses a link, and its copy of the file. */
  private record Use(JobID job, Path target) {}

  /** A link of this process. It leads to the target of the last use. */
  private record Link(List<Use> uses, List<Path> madeDirectories) {
    Path target() {
      return uses.get(uses.size() - 1).target();
    }

    List<JobID> jobs() {
      return uses.stream().map(Use::job).toList();
    }
  }

  private static final Map<Path, Link> LINKS = new HashMap<>(); // guarded by the class
  private static boolean removesAtEnd; // guarded by the class

  private final Path directory;
  private final JobID job;
  private final Set<JobID> ancestors;
  private final BooleanSupplier isCancelled;
  private final List<Path> taken = new ArrayList<>(); // guarded by the class

  private WorkingLinks(
      Path directory, JobID job, Set<JobID> ancestors, BooleanSupplier isCancelled) {
    this.directory = directory;
    this.job = job;
    this.ancestors = ancestors;
    this.isCancelled = isCancelled;
  }

  /**
   * Makes the links.
   *
   * @param directory the working directory
   * @param targets by name; a name may contain directories
   * @param ancestors jobs that may wait for this one
   * @param isCancelled asked while this waits for another job
   * @throws InterruptedIOException if it was cancelled while it waited
   * @throws IOException for a name outside the directory, or one that has other content
   */
  static WorkingLinks make(
      Path directory,
      Map<String, Path> targets,
      JobID job,
      Set<JobID> ancestors,
      BooleanSupplier isCancelled)
      throws IOException {
    Map<Path, Path> wanted = new TreeMap<>();
    for (Map.Entry<String, Path> each : targets.entrySet()) {
      wanted.put(link(directory, each.getKey()), each.getValue());
    }
    WorkingLinks links = new WorkingLinks(directory, job, ancestors, isCancelled);
    try {
      synchronized (WorkingLinks.class) {
        for (Map.Entry<Path, Path> each : wanted.entrySet()) {
          links.take(each.getKey(), each.getValue());
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, links);
      throw e;
    }
    return links;
  }

  private static Path link(Path directory, String name) throws IOException {
    Path link;
    try {
      link = directory.resolve(name).normalize();
    } catch (InvalidPathException e) {
      throw new IOException(
          "a file of the distributed cache cannot be linked as "
              + name
              + ": "
              + e.getReason()
              + LocaleAdvice.about(name),
          e);
    }
    if (!link.startsWith(directory) || link.equals(directory)) {
      throw new IOException(
          "a file of the distributed cache cannot be linked as "
              + name
              + ", which is not in the working directory "
              + directory);
    }
    return link;
  }

  private void take(Path link, Path target) throws IOException {
    while (true) {
      Link ours = LINKS.get(link);
      if (ours == null) {
        if (isSettled(link, target)) {
          return;
        }
      } else if (SameContent.of(ours.target(), target)) {
        ours.uses().add(0, new Use(job, target));
        taken.add(link);
        return;
      } else {
        requireMayWait(link, ours.jobs().toString(), Optional.empty());
        while (LINKS.get(link) == ours) {
          awaitChange(link);
        }
      }
    }
  }

  /**
   * Tries to make a link; true if it was made, is not needed, or cannot be made; false to try
   * again.
   */
  private boolean isSettled(Path link, Path target) throws IOException {
    try {
      List<Path> made = makeDirectories(directory, link.getParent());
      if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
        Files.createSymbolicLink(link, target);
        LINKS.put(link, new Link(new ArrayList<>(List.of(new Use(job, target))), made));
        taken.add(link);
        removeAtEnd();
        return true;
      }
    } catch (FileAlreadyExistsException e) {
      if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
        LOG.warn(
            "{} could not be linked as {} for tasks: {} is no directory",
            target,
            link,
            e.getFile());
        return true;
      }
      // another process was faster
    } catch (IOException e) {
      LOG.warn("{} could not be linked as {} for tasks", target, link, e);
      return true;
    }
    Path found = leadsTo(link);
    Optional<LinkOwner> owner = found == null ? Optional.empty() : LinkOwner.of(link, found);
    if (owner.isEmpty()) {
      return isSame(link, target);
    }
    if (owner.get().hasGone()) {
      removeIf(link, found);
    } else {
      awaitProcess(link, found, owner.get());
    }
    return false;
  }

  /** The target of a symbolic link; null if it is no link. */
  private static Path leadsTo(Path link) throws IOException {
    try {
      return Files.readSymbolicLink(link);
    } catch (NotLinkException | NoSuchFileException e) {
      return null;
    }
  }

  /** Whether the user's file has the same content; false if it no longer exists. */
  private static boolean isSame(Path link, Path target) throws IOException {
    if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    if (!SameContent.of(link, target)) {
      throw new IOException(
          link
              + " already exists, and tasks would read it instead of the job's file "
              + target.getFileName()
              + ", which has other content. Remove it, or give the job's file another name"
              + " (path#name)");
    }
    return true;
  }

  private void awaitProcess(Path link, Path found, LinkOwner owner) throws IOException {
    boolean isFirst = true;
    while (found.equals(leadsTo(link))
        && !Files.notExists(found) // another user's target may only be unreadable
        && !owner.ifDead(() -> removeIf(link, found))) {
      if (isFirst) {
        requireMayWait(link, owner.jobs(), owner.starter());
        isFirst = false;
      }
      awaitChange(link);
    }
    if (Files.notExists(found)) {
      removeIf(link, found); // a job removes its copy after its link
    }
  }

  private static void removeIf(Path link, Path target) throws IOException {
    if (target.equals(leadsTo(link))) {
      Files.deleteIfExists(link);
    }
  }

  private void requireMayWait(Path link, String jobs, Optional<String> program) throws IOException {
    String starter = ancestors.isEmpty() ? program.orElse(null) : "a task of " + ancestors;
    if (starter != null) {
      throw new IOException(
          link
              + " is in use for a file of "
              + jobs
              + ", and "
              + starter
              + " has started this job, so they could wait for each other. Give the file"
              + " another name, or start this job after the other has ended");
    }
    LOG.warn("{} waits until {} is free: it is in use for a file of {}", job, link, jobs);
  }

  private void awaitChange(Path link) throws InterruptedIOException {
    if (isCancelled.getAsBoolean()) {
      throw new InterruptedIOException("killed while it waited for another job that uses " + link);
    }
    try {
      WorkingLinks.class.wait(POLL_MS); // polls, because other processes do not notify
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(
          "interrupted while it waited for another job that uses " + link);
    }
  }

  /** Makes missing directories and returns them, the deepest first. */
  private static List<Path> makeDirectories(Path directory, Path parent) throws IOException {
    List<Path> missing = new ArrayList<>();
    for (Path each = parent; !each.equals(directory) && !Files.exists(each); ) {
      missing.add(each);
      each = each.getParent();
    }
    if (!missing.isEmpty()) {
      Files.createDirectories(parent);
    }
    return missing;
  }

  private static void removeAtEnd() {
    if (!removesAtEnd) {
      removesAtEnd = true;
      Runtime.getRuntime()
          .addShutdownHook(DaemonThreads.create("sluice-links", WorkingLinks::removeAll));
    }
  }

  private static synchronized void removeAll() {
    LINKS.forEach(
        (link, of) -> {
          try {
            remove(link, of.target(), of.madeDirectories());
          } catch (IOException e) {
            LOG.warn("The link {} could not be removed", link, e);
          }
        });
  }

  private static void remove(Path link, Path target, List<Path> madeDirectories)
      throws IOException {
    removeIf(link, target);
    for (Path made : madeDirectories) {
      if (!Files.isDirectory(made)) {
        return; // the user has removed it
      }
      try (var children = Files.list(made)) {
        if (children.findAny().isPresent()) {
          return; // it has other files
        }
      }
      Files.delete(made);
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (WorkingLinks.class) {
      List<Closeable> releases = new ArrayList<>();
      taken.forEach(link -> releases.add(() -> release(link)));
      taken.clear();
      WorkingLinks.class.notifyAll();
      Closer.all(releases);
    }
  }

  private void release(Path link) throws IOException {
    Link of = LINKS.get(link);
    Path led = of.target();
    of.uses().removeIf(use -> use.job().equals(job));
    if (of.uses().isEmpty()) {
      LINKS.remove(link);
      remove(link, led, of.madeDirectories());
    } else if (!led.equals(of.target()) && led.equals(leadsTo(link))) {
      // Atomically, because tasks may open the link.
      Path next = link.resolveSibling(".sluice-" + System.nanoTime());
      try {
        Files.createSymbolicLink(next, of.target());
        Files.move(next, link, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException e) {
        Closer.after(e, () -> Files.deleteIfExists(next));
        Closer.after(e, () -> Files.deleteIfExists(link)); // else later jobs would wait for it
        throw e;
      }
    }
  }

  /** Compares the content of two files or directories. */
  static final class SameContent {
    private SameContent() {}

    /** The two paths may be links. Links inside a directory are equal if their texts are. */
    static boolean of(Path one, Path other) throws IOException {
      if (Files.isRegularFile(one) && Files.isRegularFile(other)) {
        return Files.mismatch(one, other) < 0;
      }
      if (!Files.isDirectory(one) || !Files.isDirectory(other)) {
        return false; // never opens a pipe, which would wait for its writer
      }
      List<Path> names = names(one);
      if (!names.equals(names(other))) {
        return false;
      }
      for (Path name : names) {
        if (!ofChildren(one.resolve(name), other.resolve(name))) {
          return false;
        }
      }
      return true;
    }

    private static boolean ofChildren(Path one, Path other) throws IOException {
      if (Files.isSymbolicLink(one) || Files.isSymbolicLink(other)) {
        return Files.isSymbolicLink(one)
            && Files.isSymbolicLink(other)
            && Files.readSymbolicLink(one).equals(Files.readSymbolicLink(other));
      }
      return of(one, other);
    }

    private static List<Path> names(Path directory) throws IOException {
      try (Stream<Path> children = Files.list(directory)) {
        return children.map(Path::getFileName).sorted().toList();
      }
    }
  }
}
