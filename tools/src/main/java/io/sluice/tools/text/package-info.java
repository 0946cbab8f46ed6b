/** Tables for people, in text and Markdown. */
package io.sluice.tools.text;
