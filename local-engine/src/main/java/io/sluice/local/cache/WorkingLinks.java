package io.sluice.local.cache;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.mapred.JobID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Symbolic links of one job in the working directory, which a process has only one of. On a cluster
 * each task has one of its own.
 *
 * <p>Jobs that call the same content by the same name share the link; it then leads to the copy of
 * any of them that still runs. A job that calls something else so waits until those have ended; it
 * fails if one of them may wait for it, since a task of that one has started it, or a job for which
 * such a one waits in turn. All names of a job are taken at once, so jobs do not wait for each
 * other in a circle. What was in the working directory before stays, and no link is made in its
 * place, as with stock.
 *
 * <p>Thread contract: safe from any thread. Ownership: the job closes it, before it deletes what
 * the links lead to; what is left when the JVM ends is removed then. Failure: where no link can be
 * made a warning says so, and tasks find their files by the job's configuration only.
 */
final class WorkingLinks implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkingLinks.class);
  private static final long LOOK_MS = 1_000;

  /** A link, where it may lead, of which the last is where it does, and whose it is. */
  private record Link(List<Path> targets, List<JobID> jobs, List<Path> madeDirectories) {}

  /** A job that waits for a link, and all that may wait for it. */
  private record Waiting(Path link, Set<JobID> ancestors) {}

  private static final Map<Path, Link> LINKS = new HashMap<>(); // guarded by the class
  private static final List<Waiting> WAITING = new ArrayList<>(); // guarded by the class
  private static boolean removesAtEnd; // guarded by the class

  private final Map<Path, Path> wanted;
  private final JobID job;

  private WorkingLinks(Map<Path, Path> wanted, JobID job) {
    this.wanted = wanted;
    this.job = job;
  }

  /**
   * Makes them.
   *
   * @param directory the working directory
   * @param targets by name, which may have directories
   * @param ancestors jobs that may wait for this one
   * @param isCancelled asked while it waits for another job
   * @throws InterruptedIOException if it was cancelled meanwhile
   * @throws IOException of a name that leads out of the directory, or that a job has taken that may
   *     wait for this
   */
  static WorkingLinks make(
      Path directory,
      Map<String, Path> targets,
      JobID job,
      Set<JobID> ancestors,
      BooleanSupplier isCancelled)
      throws IOException {
    Map<Path, Path> wanted = new LinkedHashMap<>();
    for (Map.Entry<String, Path> each : targets.entrySet()) {
      Path link = directory.resolve(each.getKey()).normalize();
      if (!link.startsWith(directory) || link.equals(directory)) {
        throw new IOException(
            "a file cannot be linked as " + each.getKey() + ", which is not in " + directory);
      }
      wanted.put(link, each.getValue());
    }
    WorkingLinks links = new WorkingLinks(wanted, job);
    synchronized (WorkingLinks.class) {
      links.awaitOthers(ancestors, isCancelled);
      wanted.entrySet().removeIf(each -> !place(directory, each.getKey(), each.getValue(), job));
    }
    return links;
  }

  private void awaitOthers(Set<JobID> ancestors, BooleanSupplier isCancelled) throws IOException {
    Set<Path> same = new HashSet<>(); // targets of others, which need not be compared again
    for (Path link = taken(same); link != null; link = taken(same)) {
      Link other = LINKS.get(link);
      requireNoCircle(link, other, ancestors);
      LOG.info("{} means something else to a job that runs; this one waits for it", link);
      Waiting waiting = new Waiting(link, ancestors);
      WAITING.add(waiting);
      try {
        awaitEnd(link, other, isCancelled);
      } finally {
        WAITING.remove(waiting);
      }
    }
  }

  private static void awaitEnd(Path link, Link other, BooleanSupplier isCancelled)
      throws IOException {
    while (LINKS.get(link) == other) {
      if (isCancelled.getAsBoolean()) {
        throw new InterruptedIOException("killed while another job's " + link + " was in use");
      }
      try {
        WorkingLinks.class.wait(LOOK_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while " + link + " was in use");
      }
    }
  }

  private static void requireNoCircle(Path link, Link other, Set<JobID> ancestors)
      throws IOException {
    for (JobID holder : other.jobs()) {
      if (mayWaitFor(holder, ancestors, new HashSet<>())) {
        throw new IOException(
            link.getFileName()
                + " is the name of another file of "
                + holder
                + ", which may wait for the task that has started this job: they would wait for each"
                + " other. Give the file another name, or start the job when "
                + holder
                + " has ended");
      }
    }
  }

  /** Whether a job is one of those, or has started one that waits for one, and so on. */
  private static boolean mayWaitFor(JobID job, Set<JobID> ancestors, Set<JobID> seen) {
    if (ancestors.contains(job)) {
      return true;
    }
    return seen.add(job)
        && WAITING.stream()
            .filter(waiting -> waiting.ancestors().contains(job))
            .map(waiting -> LINKS.get(waiting.link()))
            .filter(link -> link != null) // it is about to be told that it waits no more
            .flatMap(link -> link.jobs().stream())
            .anyMatch(holder -> mayWaitFor(holder, ancestors, seen));
  }

  private Path taken(Set<Path> same) throws IOException {
    for (Map.Entry<Path, Path> each : wanted.entrySet()) {
      Link other = LINKS.get(each.getKey());
      if (other != null && !same.contains(current(other))) {
        if (!SameContent.of(current(other), each.getValue())) {
          return each.getKey();
        }
        same.add(current(other));
      }
    }
    return null;
  }

  private static Path current(Link link) {
    return link.targets().get(link.targets().size() - 1);
  }

  /** False if there is none of ours. */
  private static boolean place(Path directory, Path link, Path target, JobID job) {
    try {
      Link other = LINKS.get(link);
      if (other != null) {
        other.targets().add(0, target);
        other.jobs().add(job);
        return true;
      }
      if (isLeft(link)) {
        Files.delete(link);
      } else if (Files.exists(link)) {
        if (!SameContent.of(link, target)) {
          LOG.warn("{} was there before; tasks that open it do not read {}", link, target);
        }
        return false;
      }
      List<Path> made = makeDirectories(directory, link.getParent());
      Files.createSymbolicLink(link, target);
      LINKS.put(
          link, new Link(new ArrayList<>(List.of(target)), new ArrayList<>(List.of(job)), made));
      removeAtEnd();
      return true;
    } catch (IOException e) {
      LOG.warn("Tasks will not find {} as {}", target, link, e);
      return false;
    }
  }

  /** By a process that was killed. */
  private static boolean isLeft(Path link) throws IOException {
    return Files.isSymbolicLink(link)
        && !Files.exists(link)
        && Files.readSymbolicLink(link).toString().contains("/" + CacheFile.DIRECTORY + "/");
  }

  /** Those that were missing, the deepest first. */
  private static List<Path> makeDirectories(Path directory, Path parent) throws IOException {
    List<Path> missing = new ArrayList<>();
    for (Path each = parent; !each.equals(directory) && !Files.exists(each); ) {
      missing.add(each);
      each = each.getParent();
    }
    Files.createDirectories(parent);
    return missing;
  }

  private static void removeAtEnd() {
    if (!removesAtEnd) {
      removesAtEnd = true;
      Runtime.getRuntime().addShutdownHook(new Thread(WorkingLinks::removeAll, "sluice-links"));
    }
  }

  private static synchronized void removeAll() {
    LINKS.forEach(
        (link, of) -> {
          try {
            remove(link, of);
          } catch (IOException e) {
            LOG.warn("{} is left", link, e);
          }
        });
  }

  private static void remove(Path link, Link of) throws IOException {
    Files.deleteIfExists(link);
    for (Path made : of.madeDirectories()) {
      try (var children = Files.list(made)) {
        if (children.findAny().isPresent()) {
          return; // somebody else's
        }
      }
      Files.delete(made);
    }
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    synchronized (WorkingLinks.class) {
      for (Map.Entry<Path, Path> each : wanted.entrySet()) {
        try {
          release(each.getKey(), each.getValue());
        } catch (IOException e) {
          failure = e;
        }
      }
      wanted.clear();
      WorkingLinks.class.notifyAll();
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void release(Path link, Path target) throws IOException {
    Link of = LINKS.get(link);
    boolean led = current(of).equals(target);
    of.targets().remove(target);
    of.jobs().remove(job);
    if (of.targets().isEmpty()) {
      LINKS.remove(link);
      remove(link, of);
    } else if (led) {
      // In one step: there are tasks that open it.
      Path next = link.resolveSibling("." + link.getFileName() + "." + System.nanoTime());
      Files.createSymbolicLink(next, current(of));
      Files.move(next, link, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
