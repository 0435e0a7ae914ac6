/* SPDX-License-Identifier: MIT
 * test_report.c - --report: one page of HTML with a run's data, and what a browser makes of it. */
#include "tests/check.h"
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>

static char *page_read(size_t *size_out)
{
	char *page = check_read(check_fmt("%s/r.html", check_dir()), size_out);

	REQUIRE(page != NULL);
	return page;
}

/* The page that a command writes and says nothing of: it asks no network, and has something in the place of this mark. */
static void page_look(const char *command, const char *mark, const char *has)
{
	char *page;

	REQUIRE_INT(cli(command), 0);
	CHECK_STR(cli_out, "");
	page = page_read(NULL);
	CHECK_CONTAINS(page, has);
	CHECK(!strstr(page, mark) && !strstr(page, "@style@") && !strstr(page, "http://") && !strstr(page, "https://"));
	free(page);
}

TEST(a_report_is_one_page_with_the_run_in_it)
{
	size_t size;
	char *page;

	REQUIRE_INT(cli("$B/ptowsp-run -q --report r.html $P/bgemm.pkg.zst"), 0);
	page = page_read(&size);
	CHECK_CONTAINS(page, "<!DOCTYPE html>");
	CHECK_CONTAINS(page, "\"num_tasks\":128");
	CHECK_CONTAINS(page, "\"kernel_names\":[\"");
	CHECK_CONTAINS(page, "\"status\":\"OK\"");
	CHECK_CONTAINS(page, "\"kernel_tensors\":[{},{\"a\":1,\"b\":1,\"p\":2},{},{\"p\":1,\"c\":3}]"); /* read, written */
	CHECK_CONTAINS(page, "\"loops\":[{\"name\":\"parallel_for m, line 38");
	CHECK(!strstr(page, "@run@") && !strstr(page, "@tasks@") && !strstr(page, "@reals@") && !strstr(page, "@edges@") && !strstr(page, "@events@") &&
	      !strstr(page, "@array@"));
	CHECK(!strstr(page, "http://") && !strstr(page, "https://")); /* it asks no network */
	CHECK(size > 20000 && size < 40000);
	free(page);
}

/* many.pkg.zst: 100,000 tasks, some of which wait for others. */
static void many_pack(void)
{
	check_put("many.pto",
		  "tensor %x : f32[8192, 8] inout\nfunc @f(%a: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n  %t = tload %a[0, 0]\n"
		  "  tstore %t, %a[0, 0]\n  return\n}\nworkload @main { parallel_for %i in 0 to 100000 { call @f(%a -> %x[%i * %i % 1021 * 8, 0]) } }\n");
	REQUIRE_INT(cli("$B/ptowsp-pack many.pto -o many.pkg.zst"), 0);
}

TEST(a_report_of_many_tasks_stays_small)
{
	size_t size;

	cli_begin();
	many_pack();
	REQUIRE_INT(cli("$B/ptowsp-run -q --report r.html --set num_tiles=180 $P/llama_layer.pkg.zst"), 0); /* with 481,095 bytes of edges */
	free(page_read(&size));
	CHECK(size < 1500000);
	for (int i = 0; i < 2; i++) { /* where tasks wait for others, and for room */
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run -q --report r.html %s many.pkg.zst",
					  i ? "--schedule 'dispatch=hash(i,8)' --schedule task_window=64" : "")),
			    0);
		free(page_read(&size));
		CHECK(size < 2000000);
	}
}

TEST(a_report_tells_of_a_deadlock_and_of_other_results)
{
	char *page;

	cli_begin();
	check_put("d.pto",
		  "tensor %x : f32[8, 8] inout\nfunc @f(%a: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n  %t = tload %a[0, 0]\n"
		  "  tstore %t, %a[0, 0]\n  return\n}\nworkload @main { scope { call @f(%a -> %x) call @f(%a -> %x) call @f(%a -> %x) } }\n");
	REQUIRE_INT(cli("$B/ptowsp-pack d.pto -o d.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run -q --report r.html --schedule task_window=2 d.pkg.zst"), 7);
	page = page_read(NULL);
	CHECK_CONTAINS(page, "\"status\":\"DEADLOCK\"");
	CHECK_CONTAINS(page, "--schedule task_window=3");
	free(page);
	CHECK_INT(cli("$B/ptowsp-run -q --report r.html --fill x=iota --expect x=none.npy d.pkg.zst"), 2); /* nothing ran: the page stays */
	page = page_read(NULL);
	CHECK_CONTAINS(page, "DEADLOCK");
	free(page);
	CLI_ERR(2, "$B/ptowsp-run -q --report r.html --trace r.html d.pkg.zst", "is to be written twice");
	CHECK_INT(cli("$B/ptowsp-run -q --report d.pkg.zst d.pkg.zst"), 2);
	cli_check_sentence();
}

/* Texts of a package go into a script of the page: none of them ends it. */
TEST(a_name_is_no_part_of_the_page)
{
	char *page;

	cli_begin();
	check_put("n.pto", "module @n\nmeta note \"</script><script>alert(1)</script>\"\ntensor %x : f32[8, 8] inout\nkernel @k(%a: f32[8, 8] inout) function "
			   "\"</script>\"\n"
			   "workload @main { nop }\n");
	if (cli("$B/ptowsp-pack n.pto -o n.pkg.zst"))
		return;
	CHECK_INT(cli("$B/ptowsp-run -q --report r.html n.pkg.zst"), 0);
	page = page_read(NULL);
	CHECK_INT((int)check_occurrences(page, "</script>"), 6);
	free(page);
}

/* r.html as its script makes it, in cli_out; what the script complains about, in cli_err. */
static void browse(void)
{
	REQUIRE_INT(cli("timeout 100 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir=$T/chromium --enable-logging=stderr --dump-dom "
			"file://$T/r.html >dom 2>log; cat dom; grep -a CONSOLE log >&2; rm -rf chromium"),
		    0);
}

/* What the page's script makes of it: the words of the accessible names, and no error. */
TEST(a_browser_shows_it)
{
	static const struct {
		const char *run, *words;
	} rows[] = {{"$P/bgemm.pkg.zst", "Timeline of 128 tasks on 1 line, semantic time by the model of the backend, from 0 cycles"},
		    {"--threads 1 $P/bgemm.pkg.zst", "Timeline of 128 tasks on 1 line, real time of worker threads, from 0 ns"},
		    {"--opt trace=real $P/bgemm.pkg.zst", "real time of worker threads, from 0 ns"},
		    {"$P/softmax.pkg.zst", "Graph of 12 tasks and 8 connections in 1 loop"},
		    {"--plugin=aie $P/llama.pkg.zst", "<td>several loops</td>"},
		    {"--plugin=aie $P/llama.pkg.zst", "Graph of 16 kernels and 34 connections in 10 loops"},
		    {"--profile --threads 1 $P/llama.pkg.zst", "larger tiles make fewer tasks"},
		    {"--plugin=a2a3sim $P/flash_attention.pkg.zst", "Graph of 6 tasks and 9 connections"},
		    {"many.pkg.zst", "Timeline of 100,000 tasks"}};

	if (check_run("chromium --version", NULL, NULL))
		CHECK_SKIP("chromium is not installed");
	if (cli_slow())
		CHECK_SKIP("the page is the same in every build");
	cli_begin();
	many_pack();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run -q --report r.html %s", rows[i].run)), 0);
		browse();
		CHECK_CONTAINS(cli_out, rows[i].words);
		CHECK_CONTAINS(cli_out, "The run ended well.");
		CHECK_CONTAINS(cli_out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"kernels\"><table aria-label=\"kernels\">");
		CHECK_STR(cli_err, "");
	}
}

/* The matrix as a page: what a search leaves of it is counted by its script. */
TEST(the_matrix_is_a_page_to_search)
{
	page_look("$B/ptowsp-run --capabilities --html r.html", "@matrix@", "\"schema\":\"ptowsp.capabilities\\/1\"");
	CHECK_INT(cli("$B/ptowsp-run --capabilities --html none/r.html"), 2);
	CLI_ERR(2, "$B/ptowsp-run --html r.html $P/softmax.pkg.zst", "--html goes with --capabilities");
	if (cli_slow() || check_run("chromium --version", NULL, NULL))
		return;
	browse();
	CHECK_CONTAINS(cli_out, " features of ");
	CHECK_CONTAINS(cli_out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"features of backends\"><table aria-label=");
	CHECK_CONTAINS(cli_out, "<th scope=\"row\">parallel_for</th><td class=\"");
	CHECK_STR(cli_err, "");
}

/* A package as a page: the tables of ptowsp-inspect as rows and columns, its bytecode and source line by line. */
TEST(a_package_is_a_page_to_search)
{
	page_look("$B/ptowsp-inspect --html r.html $P/llama.pkg.zst", "@package@", "<!DOCTYPE html>");
	CHECK_INT(cli("$B/ptowsp-inspect --html none/r.html $P/llama.pkg.zst"), 2);
	CLI_ERR(2, "$B/ptowsp-inspect --html r.html $P/llama.pkg.zst $P/softmax.pkg.zst", "--html takes one file");
	CHECK_INT(cli("$B/ptowsp-inspect --json --html r.html $P/llama.pkg.zst"), 2);
	CHECK_INT(cli("cp $P/llama.pkg.zst l.pkg.zst && $B/ptowsp-inspect --html l.pkg.zst l.pkg.zst"), 2);
	if (cli_slow() || check_run("chromium --version", NULL, NULL))
		return;
	browse();
	CHECK_CONTAINS(cli_out, "<td>swiglu</td><td>any</td>");
	CHECK_CONTAINS(cli_out, ">meaning</button>");
	CHECK_CONTAINS(cli_out, "</td><td>strings: ");
	CHECK_CONTAINS(cli_out, "func @swiglu(");
	CHECK_CONTAINS(cli_out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-labelledby=\"part-");
	CHECK_CONTAINS(cli_out, "<a href=\"#part-tile-memory\">tile memory</a>");
	CHECK_STR(cli_err, "");
}
