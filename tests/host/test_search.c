/* SPDX-License-Identifier: MIT */
/* test_search.c - which file a plugin name means, who may have put it there, and that every skip has its reason. */
#include "tests/check.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/find/host_plugin.h"

static const char *hostile(void)
{
	return check_fmt("%s/tests/hostile", check_build());
}

static void plugin_copy(const char *plugin, const char *dir, const char *as)
{
	REQUIRE_INT(check_run(check_fmt("mkdir -p '%s' && cp '%s/libptowsp_%s.so' '%s/%s'", dir, hostile(), plugin, dir, as), NULL, NULL), 0);
}

/* The row of a name, -1 if there is none; the nth of them. */
static int row_find(const struct host_listing *listing, const char *name, int nth)
{
	for (uint32_t i = 0; i < listing->count; i++)
		if (!strcmp(listing->rows[i].name, name) && !nth--)
			return (int)i;
	return -1;
}

static ptowsp_status load_from(const char *dir, const char *name, struct host_plugin **plugin_out, struct ptowsp_error *error)
{
	const char *dirs[] = {dir};
	struct host_search search = {.dirs = dirs, .dir_count = 1};

	memset(error, 0, sizeof(*error));
	return host_plugin_load(&search, name, plugin_out, error);
}

static void hostile_list(struct host_listing *listing)
{
	const char *dirs[] = {hostile()};
	struct host_search search = {.dirs = dirs, .dir_count = 1};
	struct ptowsp_error error;

	REQUIRE_INT(host_list(&search, listing, &error), PTOWSP_OK);
}

static const struct host_candidate *row_named(const struct host_listing *listing, const char *name)
{
	const int row = row_find(listing, name, 0);

	REQUIRE(row >= 0);
	return &listing->rows[row];
}

TEST(search_lists_every_file_with_its_reason)
{
	struct host_listing listing;

	hostile_list(&listing);
	CHECK(listing.count >= 40);
	CHECK_STR(listing.folders[0], hostile());
	for (uint32_t i = 0; i < listing.count; i++)
		CHECK(listing.rows[i].usable == !listing.rows[i].reason[0]);
	CHECK(row_named(&listing, "good")->usable && !row_named(&listing, "good")->shadowed);
	CHECK_STR(row_named(&listing, "good")->note.name, "good");
	CHECK_CONTAINS(row_named(&listing, "exec_stack")->reason, "executable stack");
	CHECK_STR(row_named(&listing, "lazy")->reason, "is bound lazily; link it with -Wl,-z,now");
	CHECK_CONTAINS(row_named(&listing, "wrong_name")->reason, "its note calls it \"another\"; name the file libptowsp_another.so");
	CHECK_CONTAINS(row_named(&listing, "static_tls")->warning, "static thread-local storage");
	host_listing_finish(&listing);
}

TEST(search_listing_runs_no_plugin_code)
{
	struct host_listing listing;

	hostile_list(&listing);
	CHECK(row_named(&listing, "constructor")->usable);
	CHECK(getenv("PTOWSP_TEST_CONSTRUCTOR") == NULL);
	host_listing_finish(&listing);
}

TEST(search_first_folder_wins_and_shadows_the_later)
{
	const char *tmp = check_tmp();
	const char *dirs[] = {check_fmt("%s/one", tmp), check_fmt("%s/two", tmp)};
	struct host_search search = {.dirs = dirs, .dir_count = 2};
	struct host_listing listing;
	struct host_plugin *plugin;
	struct ptowsp_error error;
	int first, second;

	plugin_copy("good", dirs[0], "libptowsp_good.so");
	plugin_copy("good", dirs[1], "libptowsp_good.so");
	REQUIRE_INT(host_list(&search, &listing, &error), PTOWSP_OK);
	first = row_find(&listing, "good", 0);
	second = row_find(&listing, "good", 1);
	REQUIRE(first >= 0 && second >= 0);
	CHECK(!listing.rows[first].shadowed);
	CHECK(listing.rows[second].shadowed && listing.rows[second].usable);
	CHECK_INT(listing.rows[second].shadowed_by, first);
	host_listing_finish(&listing);
	REQUIRE_INT(host_plugin_load(&search, "good", &plugin, &error), PTOWSP_OK);
	CHECK_CONTAINS(plugin->path, "/one/libptowsp_good.so");
}

/* What a name means must not depend on the health of the file: a broken first one is an error, not a reason to go on. */
TEST(search_does_not_step_over_a_broken_file)
{
	const char *tmp = check_tmp();
	const char *dirs[] = {check_fmt("%s/one", tmp), check_fmt("%s/two", tmp)};
	struct host_search search = {.dirs = dirs, .dir_count = 2};
	struct host_plugin *plugin;
	struct ptowsp_error error;

	plugin_copy("lazy", dirs[0], "libptowsp_good.so");
	plugin_copy("good", dirs[1], "libptowsp_good.so");
	CHECK_INT(host_plugin_load(&search, "good", &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "is bound lazily");
}

TEST(search_refuses_a_file_under_another_name)
{
	struct host_plugin *plugin;
	struct ptowsp_error error;
	const char *tmp = check_tmp();

	plugin_copy("constructor", tmp, "libptowsp_other.so");
	CHECK_INT(load_from(tmp, "other", &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "its note calls it \"constructor\"");
	CHECK(getenv("PTOWSP_TEST_CONSTRUCTOR") == NULL); /* refused before it ran */
}

TEST(search_says_where_it_looked)
{
	struct host_plugin *plugin;
	struct ptowsp_error error;
	const char *tmp = check_tmp();

	CHECK_INT(load_from(tmp, "nowhere", &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "no plugin \"nowhere\"");
	CHECK_CONTAINS(error.text, tmp);
	CHECK_INT(load_from(tmp, "No-Name", &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "\"No-Name\" is no plugin name");
	CHECK_INT(load_from(tmp, "", &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_INT(load_from(tmp, "a_name_of_more_than_32_characters_", &plugin, &error), PTOWSP_PLUGIN_REFUSED);
}

TEST(search_takes_targets_as_aliases)
{
	struct host_plugin *plugin;
	struct ptowsp_error error;

	REQUIRE_INT(load_from(hostile(), "alias_a", &plugin, &error), PTOWSP_OK);
	CHECK_STR(plugin->note.name, "alias_a");
	CHECK_INT(load_from(hostile(), "shared_alias", &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, "\"shared_alias\" is a target of both alias_a and alias_b");
}

TEST(search_lets_the_preference_decide_between_aliases)
{
	const char *dirs[] = {hostile()}, *order[] = {"cpu_sim", "alias_b", "alias_a"};
	struct host_search search = {.dirs = dirs, .dir_count = 1, .order = order, .order_count = 2};
	struct host_plugin *plugin;
	struct ptowsp_error error;

	REQUIRE_INT(host_plugin_load(&search, "shared_alias", &plugin, &error), PTOWSP_OK);
	CHECK_STR(plugin->note.name, "alias_b");
	search.order_count = 3;
	REQUIRE_INT(host_plugin_load(&search, "shared_alias", &plugin, &error), PTOWSP_OK);
	CHECK_STR(plugin->note.name, "alias_b");
}

/* A plugin called like somebody's target is meant by that name. */
TEST(search_prefers_a_name_to_an_alias)
{
	const char *tmp = check_tmp();
	struct host_plugin *plugin;
	struct ptowsp_error error;

	plugin_copy("alias_b", tmp, "libptowsp_alias_b.so");
	plugin_copy("good_too", tmp, "libptowsp_good_too.so");
	REQUIRE_INT(load_from(tmp, "good_too", &plugin, &error), PTOWSP_OK);
	CHECK_STR(plugin->note.name, "good_too");
	REQUIRE_INT(load_from(tmp, "shared_alias", &plugin, &error), PTOWSP_OK);
	CHECK_STR(plugin->note.name, "alias_b");
}

TEST(search_takes_absolute_folders_of_the_variable_only)
{
	const char *tmp = check_tmp(), *dir = check_fmt("%s/of_variable", tmp);
	struct host_listing listing;
	struct ptowsp_error error;
	bool said = false;
	int row;

	plugin_copy("good", dir, "libptowsp_good.so");
	setenv("PTOWSP_PLUGIN_PATH", check_fmt("tests/hostile:%s::%s:/nowhere/at/all", dir, dir), 1);
	REQUIRE_INT(host_list(NULL, &listing, &error), PTOWSP_OK);
	unsetenv("PTOWSP_PLUGIN_PATH");
	row = row_find(&listing, "good", 0);
	REQUIRE(row >= 0);
	CHECK_CONTAINS(listing.rows[row].path, "/of_variable/");
	CHECK_INT(row_find(&listing, "good", 1), -1); /* the same folder twice is looked into once */
	for (uint32_t i = 0; i < listing.count; i++) {
		if (!strcmp(listing.rows[i].path, "tests/hostile")) {
			CHECK_STR(listing.rows[i].reason, "PTOWSP_PLUGIN_PATH takes absolute folders only");
			said = true;
		}
		if (!strcmp(listing.rows[i].path, "/nowhere/at/all"))
			CHECK_STR(listing.rows[i].reason, "no such folder");
	}
	CHECK(said);
	for (uint32_t i = 0; i < listing.folder_count; i++)
		CHECK(listing.folders[i][0] == '/');
	CHECK_INT(row_find(&listing, "lazy", 0), -1);
	host_listing_finish(&listing);
}

static bool has_folder(const struct host_listing *listing, const char *folder)
{
	for (uint32_t i = 0; i < listing->folder_count; i++)
		if (!strcmp(listing->folders[i], folder))
			return true;
	return false;
}

TEST(search_looks_into_the_user_s_folder_only_when_told)
{
	const struct passwd *user = getpwuid(geteuid());
	struct host_search search = {.user_plugins = true};
	struct host_listing listing;
	struct ptowsp_error error;
	const char *folder;

	if (!user)
		CHECK_SKIP("this user is not in the password file");
	folder = check_fmt("%s/.local/share/ptowsp/plugins", user->pw_dir);
	REQUIRE_INT(host_list(&search, &listing, &error), PTOWSP_OK);
	CHECK(has_folder(&listing, folder));
	host_listing_finish(&listing);
	REQUIRE_INT(host_list(NULL, &listing, &error), PTOWSP_OK);
	CHECK(!has_folder(&listing, folder));
	host_listing_finish(&listing);
}

TEST(search_looks_beside_the_running_program)
{
	const char *own = check_fmt("%s/lib/ptowsp/plugins", check_build());
	struct host_listing listing;
	struct ptowsp_error error;
	struct stat stat_of;

	if (stat(own, &stat_of))
		CHECK_SKIP("this build has no plugins beside it");
	REQUIRE_INT(host_list(NULL, &listing, &error), PTOWSP_OK);
	CHECK(has_folder(&listing, own));
	host_listing_finish(&listing);
}

TEST(search_names_files_that_are_not_called_like_plugins)
{
	const char *tmp = check_tmp(), *dirs[] = {tmp};
	struct host_search search = {.dirs = dirs, .dir_count = 1};
	struct host_listing listing;
	struct ptowsp_error error;

	plugin_copy("good", tmp, "libptowsp_Good-1.so");
	plugin_copy("good", tmp, "libsomething.so");
	plugin_copy("good", tmp, "libptowsp_good.so.bak");
	REQUIRE_INT(host_list(&search, &listing, &error), PTOWSP_OK);
	CHECK_CONTAINS(listing.rows[0].path, "libptowsp_Good-1.so");
	CHECK_CONTAINS(listing.rows[0].reason, "not called libptowsp_NAME.so");
	CHECK(listing.count < 2 || !strstr(listing.rows[1].path, tmp));
	host_listing_finish(&listing);
}

TEST(search_follows_a_link_to_the_real_file)
{
	const char *tmp = check_tmp(), *dir = check_fmt("%s/links", tmp);
	struct host_plugin *plugin;
	struct ptowsp_error error;

	plugin_copy("good", tmp, "libptowsp_good.so.1.0");
	REQUIRE_INT(mkdir(dir, 0755), 0);
	REQUIRE_INT(symlink("../libptowsp_good.so.1.0", check_fmt("%s/libptowsp_good.so", dir)), 0);
	REQUIRE_INT(load_from(dir, "good", &plugin, &error), PTOWSP_OK);
	CHECK_STR(plugin->path, check_fmt("%s/libptowsp_good.so.1.0", tmp));
}

/* ---- owner and mode ---- */

/* Refused with these words; then the command in the sentence is run, and it is taken. */
static void cure_works(const char *path, const char *why)
{
	struct host_plugin *plugin;
	struct ptowsp_error error = {0};
	const char *cure;

	CHECK_INT(host_plugin_load(NULL, path, &plugin, &error), PTOWSP_PLUGIN_REFUSED);
	CHECK_CONTAINS(error.text, why);
	cure = strstr(error.text, "cure: ");
	REQUIRE(cure != NULL);
	REQUIRE_INT(check_run(cure + 6, NULL, NULL), 0);
	CHECK_INT(host_plugin_load(NULL, path, &plugin, &error), PTOWSP_OK);
}

TEST(search_refuses_what_anybody_may_write)
{
	const char *tmp = check_tmp(), *dir = check_fmt("%s/d", tmp), *path = check_fmt("%s/p.so", dir);

	plugin_copy("good", dir, "p.so");
	REQUIRE_INT(chmod(path, 0666), 0);
	cure_works(path, "anybody may write the plugin file (owner ");
	REQUIRE_INT(chmod(path, 01666), 0); /* the sticky bit of a file protects nothing */
	cure_works(path, "anybody may write the plugin file (owner ");
	REQUIRE_INT(chmod(dir, 0777), 0);
	cure_works(path, "anybody may write a folder above the plugin (owner ");
}

TEST(search_refuses_what_a_group_may_write)
{
	const char *tmp = check_tmp(), *path = check_fmt("%s/p.so", tmp);

	plugin_copy("good", tmp, "p.so");
	if (geteuid() || chown(path, 0, 12345))
		CHECK_SKIP("only root can give a file to another group");
	REQUIRE_INT(chmod(path, 0664), 0);
	cure_works(path, "a group may write the plugin file (owner root, mode 0664)");
}

TEST(search_takes_a_sticky_folder_that_anybody_may_write)
{
	const char *tmp = check_tmp(), *dir = check_fmt("%s/d", tmp), *path = check_fmt("%s/p.so", dir);
	struct ptowsp_error error;

	plugin_copy("good", dir, "p.so");
	REQUIRE_INT(chmod(dir, 01777), 0);
	CHECK_INT(host_check_owner(path, "plugin", &error), PTOWSP_OK);
}

TEST(search_takes_the_user_s_own_group)
{
	const char *tmp = check_tmp(), *path = check_fmt("%s/p.so", tmp);
	struct ptowsp_error error = {0};

	plugin_copy("good", tmp, "p.so");
	REQUIRE_INT(chmod(path, 0664), 0);
	if (host_check_owner(path, "plugin", &error)) {
		CHECK_CONTAINS(error.text, "a group may write");
		CHECK_SKIP("this user's primary group has other members");
	}
}

TEST(search_refuses_another_user_s_file)
{
	const char *tmp = check_tmp(), *path = check_fmt("%s/d/p.so", tmp);

	plugin_copy("good", check_fmt("%s/d", tmp), "p.so");
	if (geteuid() || chown(path, 12345, 0))
		CHECK_SKIP("only root can give a file away");
	cure_works(path, "plugin file belongs to another user (owner uid 12345, mode 0");
	REQUIRE_INT(chown(check_fmt("%s/d", tmp), 12345, 0), 0);
	cure_works(path, "folder above the plugin belongs to another user (owner uid 12345, mode 0");
}
