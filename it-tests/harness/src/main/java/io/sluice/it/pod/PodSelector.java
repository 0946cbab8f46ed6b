package io.sluice.it.pod;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Kubernetes' selectors of objects by labels or fields: {@code a=b,c!=d,e in (f,g),h,!i}. */
final class PodSelector {
  private static final String TERMS = ",(?![^(]*\\))"; // no comma between parentheses
  private static final Pattern IN = Pattern.compile("(\\S+) (in|notin) \\((.*)\\)");

  private PodSelector() {}

  /** Whether all terms hold; {@code values} finds what an object has, or a missing node. */
  static boolean matches(String selector, Function<String, JsonNode> values) {
    for (String term : selector.split(TERMS)) {
      if (!term.isEmpty() && !holds(term, values)) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(String term, Function<String, JsonNode> values) {
    Matcher in = IN.matcher(term);
    if (in.matches()) {
      boolean isIn =
          List.of(in.group(3).split(",\\s*")).contains(values.apply(in.group(1)).asText());
      return isIn == in.group(2).equals("in");
    }
    if (term.contains("!=")) {
      String[] sides = term.split("!=", 2);
      return !values.apply(sides[0]).asText().equals(sides[1]);
    }
    if (term.contains("=")) {
      String[] sides = term.split("==?", 2);
      return values.apply(sides[0]).asText().equals(sides[1]);
    }
    return term.startsWith("!")
        ? values.apply(term.substring(1)).isMissingNode()
        : !values.apply(term).isMissingNode();
  }
}
