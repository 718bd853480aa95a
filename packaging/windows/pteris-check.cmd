@echo off
rem SPDX-License-Identifier: BSD-3-Clause
rem pteris-check.cmd [REPORT.txt]: the automatic half of docs/windows-checklist.md. Uses the Pteris beside it and writes
rem a report (pteris-check.txt in this user's folder for temporary files). The report has no personal data: no names of
rem users, computers or folders, and nothing that anybody wrote. Exit status: 0 all good, 1 a check failed.
setlocal enableextensions enabledelayedexpansion
set "PTERIS=%~dp0bin\pteris.exe"
set "REPORT=%~1"
if "%REPORT%"=="" set "REPORT=%TEMP%\pteris-check.txt"
set "WORK=%TEMP%\pteris-check-%RANDOM%"
set /a GOOD=0
set /a BAD=0
set /a LEFT=0

if not exist "%PTERIS%" (
  echo pteris-check: there is no bin\pteris.exe beside it. Run it where Pteris is installed or unpacked.
  exit /b 1
)
mkdir "%WORK%"
echo Report of pteris-check >"%REPORT%"
echo.>>"%REPORT%"

rem ---- The program

call :expect 0 "says its version" --version
call :expect 0 "shows its help" --help
call :expect 2 "refuses an unknown command" nothing-of-this-kind
call :expect 0 "shows processor and memory" stats
call :expect 0 "the same as JSON" stats --json
call :expect 0 "lists the models" models

rem ---- Files

echo This is not a model.>"%WORK%\damaged.pte"
call :expect 1 "a damaged model is refused" inspect "%WORK%\damaged.pte"
call :expect 1 "a model that is not there is refused" inspect "%WORK%\nothing.pte"
set "DEEP=%WORK%"
for /l %%i in (1,1,4) do set "DEEP=!DEEP!\a folder with a long name"
mkdir "%DEEP%"
copy "%WORK%\damaged.pte" "%DEEP%\damaged.pte" >nul
call :expect 1 "it is the same deep in folders" inspect "%DEEP%\damaged.pte"

rem ---- The starter models

"%PTERIS%" inspect smollm2 >nul 2>nul
if errorlevel 1 (
  call :leave "chats" "the starter model SmolLM2 is not here"
) else (
  call :answer "chats" "Paris" chat smollm2 --temperature 0 --prompt "What is the capital of France? Answer briefly."
  call :expect 0 "the model can be measured" bench smollm2
)
"%PTERIS%" inspect whisper-base >nul 2>nul
if errorlevel 1 (
  call :leave "transcribes" "the starter model Whisper is not here"
) else (
  call :answer "transcribes" "country" transcribe whisper-base "%~dp0share\pteris\starter\jfk.wav"
)

rem ---- Windows

call :file "translations are there" "%~dp0share\locale\de\LC_MESSAGES\pteris.mo"
call :file "licences are there" "%~dp0share\licenses\LIBRARIES.txt"
if exist "%SystemRoot%\System32\nvcuda.dll" (
  call :answer "finds the NVIDIA driver" "CUDA GPU 0" stats --diagnose
) else (
  call :leave "finds the NVIDIA driver" "there is none"
)

rem ---- What this computer is

echo.>>"%REPORT%"
"%PTERIS%" --version >>"%REPORT%" 2>&1
"%PTERIS%" stats --diagnose >>"%REPORT%" 2>&1
echo.>>"%REPORT%"
echo %GOOD% good, %BAD% failed, %LEFT% left out>>"%REPORT%"
type "%REPORT%"
echo.
echo The report is "%REPORT%". Read it before you send it to anybody.
rmdir /s /q "%WORK%"
if %BAD% gtr 0 exit /b 1
exit /b 0

rem ---- Parts

rem expect STATUS NAME ARGUMENT...: the program ends with this exit status.
:expect
set "STATUS=%~1"
set "NAME=%~2"
call :rest %*
"%PTERIS%" %REST% >"%WORK%\out.txt" 2>&1
set "GOT=%ERRORLEVEL%"
if "%GOT%"=="%STATUS%" goto good
echo FAILED  %NAME%: exit status %GOT% instead of %STATUS%>>"%REPORT%"
set /a BAD+=1
goto :eof

rem answer NAME TEXT ARGUMENT...: the program succeeds, and its output has the text.
:answer
set "NAME=%~1"
set "TEXT=%~2"
call :rest %*
"%PTERIS%" %REST% >"%WORK%\out.txt" 2>"%WORK%\errors.txt"
set "GOT=%ERRORLEVEL%"
if not "%GOT%"=="0" (
  echo FAILED  %NAME%: exit status %GOT%>>"%REPORT%"
  set /a BAD+=1
  goto :eof
)
find "%TEXT%" "%WORK%\out.txt" >nul
if not errorlevel 1 goto good
echo FAILED  %NAME%: the output has no "%TEXT%">>"%REPORT%"
set /a BAD+=1
goto :eof

rem file NAME PATH: the file is there.
:file
set "NAME=%~1"
if exist "%~2" goto good
echo FAILED  %NAME%>>"%REPORT%"
set /a BAD+=1
goto :eof

:leave
echo left    %~1: %~2>>"%REPORT%"
set /a LEFT+=1
goto :eof

:good
echo good    %NAME%>>"%REPORT%"
set /a GOOD+=1
goto :eof

rem REST: all arguments but the first two, quoted as they were.
:rest
set "REST="
shift
shift
:next
if "%~1"=="" goto :eof
set "REST=%REST% %1"
shift
goto next
