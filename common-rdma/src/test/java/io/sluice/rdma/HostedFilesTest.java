package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The files that the repository's host reads: the workflow, the templates of issues, SECURITY. */
class HostedFilesTest {
  private static final Pattern USES = Pattern.compile("(?m)^ *(?:- )?uses: (\\S+)$");
  private static final Pattern PINNED = Pattern.compile("[\\w-]+/[\\w-]+@v\\d+\\.\\d+\\.\\d+");
  private static final Pattern MAIL = Pattern.compile("[\\w.]+@[\\w-]+\\.\\w+");

  private static String read(String file) throws IOException {
    return Files.readString(SourceTree.root().resolve(file));
  }

  @Test
  void theWorkflowRunsTheTestsByPinnedActions() throws IOException {
    String workflow = read(".github/workflows/ci.yml");
    List<String> actions = USES.matcher(workflow).results().map(action -> action.group(1)).toList();
    assertFalse(actions.isEmpty(), workflow);
    assertEquals(
        List.of(), actions.stream().filter(name -> !PINNED.matcher(name).matches()).toList());
    assertTrue(workflow.contains("run: .ci/run\n"), workflow);
    assertTrue(Files.isExecutable(SourceTree.root().resolve(".ci/run")));
  }

  @Test
  void aReportOfABugHasWhatIsAskedFirst() throws IOException {
    String bug = read(".github/ISSUE_TEMPLATE/bug.yml");
    for (String part :
        List.of("SECURITY.md", "./sluice doctor", "label: Settings", "label: Logs")) {
      assertTrue(bug.contains(part), part);
    }
  }

  /** Nobody reads mail for this project. */
  @Test
  void noMailAddressIsGiven() throws IOException {
    String security = read("SECURITY.md");
    assertFalse(MAIL.matcher(security).find(), security);
    assertTrue(security.contains("security advisories"), security);
  }
}
