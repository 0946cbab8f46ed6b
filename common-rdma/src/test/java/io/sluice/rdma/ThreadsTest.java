package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.threads.DaemonThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Threads that outlive a task keep nothing of it: they are made by {@link DaemonThreads} alone. One
 * that is made otherwise has the task's class loader, and its classes stay for as long as it lives.
 */
class ThreadsTest {
  /** These make threads that end with a task or a job, or with what they are made for. */
  private static final Set<String> OTHERS =
      Set.of("DaemonThreads", "JobEndNotice", "JobThreads", "MapOutputGathering", "TaskUsers");

  private static final Pattern MAKES =
      Pattern.compile("\\bnew (Thread|Timer)\\(|\\bextends Thread\\b|\\bThread::new\\b");

  private static boolean makes(String source) {
    return MAKES.matcher(source).find();
  }

  @Test
  void noOtherClassMakesOneThatLasts() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path file : SourceTree.inOthersProcesses()) {
      String source = Files.readString(file);
      MAKES
          .matcher(source)
          .results()
          .forEach(made -> found.add(SourceTypes.at(source, made.start())));
    }
    assertEquals(new TreeSet<>(OTHERS), found, "use DaemonThreads for one that lasts");
  }

  @Test
  void theRuleSeesWhatMakesOne() {
    assertTrue(makes("thread = new Thread(this::run);"));
    assertTrue(makes("class Worker extends Thread {"));
    assertTrue(makes("Executors.newCachedThreadPool(Thread::new)"));
    assertTrue(makes("timer = new Timer(true);"));
    assertFalse(makes("group = new ThreadGroup(name);"));
  }
}
