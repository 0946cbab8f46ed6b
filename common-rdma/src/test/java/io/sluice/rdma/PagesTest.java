package io.sluice.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.PlainWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pages lead where they say, without a network: every relative link of README, CONTRIBUTING,
 * SECURITY, CHANGELOG and docs to a file, and its anchor to a heading; and every page of docs is in
 * mkdocs.yml. Their sentences are plain words.
 */
class PagesTest {
  private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```|<!--.*?-->|`[^`\n]*`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
  private static final Pattern LINKED_TEXT = Pattern.compile("!?\\[([^\\]]*)\\]\\([^)]*\\)");
  private static final Pattern NAV_PAGE = Pattern.compile("(?m)^ +- .*?([\\w./-]+\\.md)$");

  /** Made of files outside of docs, by docs/site.py. */
  private static final Set<String> MADE = Set.of("index.md", "contributing.md", "changelog.md");

  private static final Path ROOT = SourceTree.root();
  private static final Path DOCS = ROOT.resolve("docs");

  @Test
  void everyRelativeLinkLeadsToAFileAndAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : pages()) {
      for (String link : links(Files.readString(page))) {
        links++;
        String problem = problem(page, link);
        if (!problem.isEmpty()) {
          broken.add(ROOT.relativize(page) + ": " + link + ": " + problem);
        }
      }
    }
    assertEquals(List.of(), broken);
    assertTrue(links > 100, () -> "only few links were found");
  }

  @Test
  void everyPageIsInTheNavigationOnceAndTheNavigationNamesNoOther() throws IOException {
    String site = Files.readString(ROOT.resolve("mkdocs.yml"));
    List<String> named =
        NAV_PAGE
            .matcher(site.substring(site.indexOf("\nnav:\n")))
            .results()
            .map(found -> found.group(1))
            .toList();
    Set<String> expected = new TreeSet<>(MADE);
    for (Path page : pagesOfDocs()) {
      expected.add(DOCS.relativize(page).toString());
    }
    assertEquals(expected, new TreeSet<>(named));
    assertEquals(expected.size(), named.size(), () -> "a page is there twice: " + named);
  }

  @Test
  void anAnchorIsItsHeadingInSmallLettersWithoutSigns() {
    assertEquals(
        Set.of("is-it-working", "whats-a-run--a-range", "see-notes-of-2026", "a_b-p99"),
        anchors(
            """
            # Is it working?
            ## What's a run / a range
            ```
            # no heading
            ```
            ### See [Notes](notes.md) of 2026
            ### `a_b`: p99
            """));
  }

  @Test
  void whatIsCodeIsNoLink() {
    assertEquals(
        List.of("a.md#b", "c.png"),
        links("[x](a.md#b) `[y](no.md)` ![z](c.png)\n```\n[q](no.md)\n```\n"));
  }

  @Test
  void pagesAreInPlainWords() throws IOException {
    List<String> complaints = new ArrayList<>();
    for (Path page : pages()) {
      String name = ROOT.relativize(page).toString();
      if (!name.startsWith("docs/results/") || name.endsWith("README.md")) { // measured, written
        PlainWords.complaints(Files.readString(page))
            .forEach(complaint -> complaints.add(name + ": " + complaint));
      }
    }
    assertEquals("", String.join("\n", complaints));
  }

  private static String problem(Path page, String link) throws IOException {
    if (ELSEWHERE.matcher(link).matches()) {
      return "";
    }
    String[] parts = link.split("#", 2);
    Path target = page.resolveSibling(parts[0]).normalize();
    if (parts[0].isEmpty()) {
      target = page;
    }
    if (!target.startsWith(ROOT) || !Files.exists(target)) {
      return "no such file";
    }
    if (parts.length == 1) {
      return "";
    }
    return anchors(Files.readString(target)).contains(parts[1]) ? "" : "no such heading";
  }

  private static List<String> links(String page) {
    return LINK.matcher(CODE.matcher(page).replaceAll(""))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  /** As GitHub makes them, and MkDocs with the slugs of mkdocs.yml; not of headings that repeat. */
  private static Set<String> anchors(String page) {
    String withoutBlocks = Pattern.compile("(?ms)^ *```.*?^ *```").matcher(page).replaceAll("");
    Set<String> anchors = new HashSet<>();
    Matcher headings = HEADING.matcher(withoutBlocks);
    while (headings.find()) {
      String text = LINKED_TEXT.matcher(headings.group(1)).replaceAll("$1");
      anchors.add(
          text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'));
    }
    return anchors;
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(pagesOfDocs());
    pages.add(ROOT.resolve("README.md"));
    pages.add(ROOT.resolve("CONTRIBUTING.md"));
    pages.add(ROOT.resolve("SECURITY.md"));
    pages.add(ROOT.resolve("CHANGELOG.md"));
    return pages;
  }

  private static Set<Path> pagesOfDocs() throws IOException {
    try (Stream<Path> files = Files.walk(DOCS)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
