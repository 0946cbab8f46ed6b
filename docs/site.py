"""Hooks of MkDocs: make the site of docs/ from the files as GitHub shows them.

README.md, CONTRIBUTING.md and CHANGELOG.md of the repository become pages, of which the first is index.md. A link from a page
to any other file outside docs/ becomes the name of that file. Lists are read as GitHub reads them: what is nested is indented by
two spaces, and no blank line is needed before an item.
"""

import os
import re
from pathlib import Path

from markdown.blockprocessors import ListIndentProcessor, OListProcessor, UListProcessor
from markdown.extensions import Extension
from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
ITEM = re.compile(r" *(-|\d+\.) ")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(((?!\w+:)[^)\s#]+)(#[^)\s]*)?\)")


class TwoSpaces(Extension):
    """Nests what is in a list by two spaces; code outside of lists is indented by four, as ever."""

    def extendMarkdown(self, md):
        md.tab_length = 2
        processors = md.parser.blockprocessors
        processors.register(ListIndentProcessor(md.parser), "indent", 90)
        processors.register(OListProcessor(md.parser), "olist", 40)
        processors.register(UListProcessor(md.parser), "ulist", 30)
        md.tab_length = 4


def on_config(config):
    config.markdown_extensions.append(TwoSpaces())
    return config


def on_files(files, config):
    for source, page in PAGES.items():
        text = LINK.sub(lambda link: moved(link, ROOT, ""), (ROOT / source).read_text("utf-8"))
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    markdown = "\n".join(with_blank_lines(markdown.split("\n")))
    if page.file.src_uri in PAGES.values():
        return markdown
    here = Path(config.docs_dir, page.file.src_uri).parent
    back = os.path.relpath(config.docs_dir, here)
    return LINK.sub(lambda link: moved(link, here, "" if back == "." else back + "/"), markdown)


def with_blank_lines(lines):
    """The same lines, with a blank one before a list that begins, or goes on, right behind a paragraph."""
    in_code, block = False, []
    for line in lines:
        in_code ^= line.lstrip().startswith("```")
        block = block + [line] if line.strip() else []
        if not in_code and len(block) > 1 and not any(map(ITEM.match, block[:-1])):
            item = ITEM.match(line)
            if item and (item[1] in ("-", "1.") or block[-2].startswith("  ")):
                yield ""
                block = [line]
        yield line


def moved(link, here, back):
    """The link as a page of the site has it."""
    bang, text, target, anchor = link.groups()
    path = os.path.relpath(here / target, ROOT)
    if path in PAGES:
        return f"[{text}]({back}{PAGES[path]}{anchor or ''})"
    if here == ROOT and path.startswith("docs/"):
        return f"{bang}[{text}]({path.removeprefix('docs/')}{anchor or ''})"
    if here != ROOT and (ROOT / path / "README.md").exists():
        return f"[{text}]({target.rstrip('/')}/README.md)"
    if here != ROOT and path.startswith("docs/"):
        return link.group()
    return f"{text} (`{path}`)" if f"`{path}`" not in text else text
