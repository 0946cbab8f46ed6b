package io.sluice.local.task;

import io.sluice.local.conf.Isolation;
import io.sluice.rdma.memory.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.CodeSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.hadoop.mapred.JobConf;

/**
 * Class loaders for the tasks of a job that run at a time: static fields of the classes that they
 * load are then shared by tasks that follow each other, and not by those beside each other.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever makes it closes it after its tasks;
 * the loader of one that was given up is closed when it ends.
 */
final class TaskLoaders implements Closeable {
  private static final ClassLoader SHARED = TaskLoaders.class.getClassLoader();

  private final Supplier<URLClassLoader> maker;
  private final ArrayDeque<URLClassLoader> idle = new ArrayDeque<>();
  private boolean closed;

  private TaskLoaders(Supplier<URLClassLoader> maker) {
    this.maker = maker;
  }

  /**
   * For a job, by what its own class loader has beside the engine's.
   *
   * @throws IOException if that does not say where its classes come from
   */
  static TaskLoaders of(JobConf job, Isolation isolation) throws IOException {
    List<URL> urls = brought(job.getClassLoader());
    if (isolation == Isolation.PROGRAM_CLASSES) {
      for (String program : Isolation.programs(job)) {
        urls.add(sourceOf(program, job.getClassLoader()));
      }
      URL[] all = urls.toArray(URL[]::new);
      return new TaskLoaders(() -> new ProgramLoader(all, SHARED));
    }
    URL[] all = urls.toArray(URL[]::new);
    return new TaskLoaders(() -> new URLClassLoader(all, SHARED));
  }

  private static List<URL> brought(ClassLoader ofJob) throws IOException {
    List<URL> urls = new ArrayList<>();
    List<ClassLoader> shared = new ArrayList<>();
    for (ClassLoader each = SHARED; each != null; each = each.getParent()) {
      shared.add(each);
    }
    for (ClassLoader each = ofJob;
        each != null && !shared.contains(each);
        each = each.getParent()) {
      if (!(each instanceof URLClassLoader of)) {
        throw unknown(each.toString());
      }
      urls.addAll(0, Arrays.asList(of.getURLs()));
    }
    return urls;
  }

  private static URL sourceOf(String program, ClassLoader ofJob) throws IOException {
    try {
      CodeSource source =
          Class.forName(program, false, ofJob).getProtectionDomain().getCodeSource();
      if (source == null || source.getLocation() == null) {
        throw unknown(program);
      }
      return source.getLocation();
    } catch (ClassNotFoundException e) {
      throw new IOException(e);
    }
  }

  private static IOException unknown(String what) {
    return new IOException(
        "tasks cannot have class loaders of their own, since "
            + what
            + " does not say where its classes come from;"
            + " with sluice.local.isolation=none they share theirs");
  }

  /** One that no other task uses now. */
  synchronized ClassLoader take() {
    return idle.isEmpty() ? maker.get() : idle.pop();
  }

  /**
   * The task has ended.
   *
   * @param failed whether what it has left there is for nobody else: nothing of it is kept
   */
  synchronized void giveBack(ClassLoader loader, boolean failed) throws IOException {
    URLClassLoader returned = (URLClassLoader) loader;
    if (closed || failed) {
      close(List.of(returned));
    } else {
      idle.push(returned);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    List<URLClassLoader> all = List.copyOf(idle);
    idle.clear();
    close(all);
  }

  private static void close(List<URLClassLoader> loaders) throws IOException {
    try {
      KeptClasses.forget(Set.copyOf(loaders));
    } finally {
      Closing.all(loaders);
    }
  }
}
